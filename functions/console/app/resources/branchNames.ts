import { useQueries } from '@tanstack/react-query';
import { bodyOf } from '../api/request.ts';
import { useBranchNames, useEstateStatus } from '../estate/estatePage.ts';
import { useActing } from '../session/session.ts';
import { nameOf } from './data.ts';

/** Says the names of some branches: those of the estate or, where the browser does not have it, as the service says. */
export function useNamesOf(mids: readonly string[]): (mid: string) => string {
  const { api, acquirer } = useActing();
  const ofEstate = useBranchNames(mids);
  const { state } = useEstateStatus();
  const asked = state.kind === 'too_large' ? [...new Set(mids)] : [];
  const ofService = useQueries({
    queries: asked.map((mid) => ({
      queryKey: [acquirer.id, 'branch name', mid],
      staleTime: 60_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        nameOf((await bodyOf(api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } }, signal }))).data),
    })),
  });
  return (mid) => ofService[asked.indexOf(mid)]?.data ?? ofEstate(mid);
}
