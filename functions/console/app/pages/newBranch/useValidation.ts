import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { bodyOf, ProblemError } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { stillRefused } from '../../shared/refused.ts';
import { refusedFields } from '../../shared/rules.ts';
import type { Request } from './form.ts';

/** At most two requests a second. */
const PAUSE_MS = 500;

/**
 * The fields that the service would refuse, while they are typed. A request whose body is outdated is cancelled.
 *
 * @param isReady Whether the body follows the contract's rules.
 */
export function useValidation(body: Request, isReady: boolean): Record<string, string> {
  const { api, acquirer } = useActing();
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data } = useQuery({
    queryKey: [acquirer.id, 'validation', text],
    enabled: isReady && settled === text,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      try {
        await bodyOf(api.POST('/ext/api/v1/merchants', { params: { query: { validate_only: 'true' } }, body, signal }));
        return { body, refused: {} };
      } catch (error) {
        const isRefused = error instanceof ProblemError && error.problem.code === 'validation_failed';
        if (!isRefused) throw error;
        return { body, refused: refusedFields(error) };
      }
    },
  });
  return data ? stillRefused(data.refused, data.body, body) : {};
}
