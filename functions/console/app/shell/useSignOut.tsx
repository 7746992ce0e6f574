import { type ReactNode, useState } from 'react';
import { bodyOf, ProblemError } from '../api/request.ts';
import { useChange } from '../changes/useChange.ts';
import { stopJobs } from '../jobs/job.ts';
import { forget } from '../kept/database.ts';
import { SignOutDialog } from '../pages/views.ts';
import { announceSession } from '../session/renewal.ts';
import { sessionApi, useActing } from '../session/session.ts';
import { leave } from '../shared/draft.ts';

/**
 * Signs the person out. Nothing of theirs stays in the browser, so it asks first if there is an import.
 */
export function useSignOut(): { signOut: (everywhere: boolean) => Promise<void>; dialog: ReactNode } {
  const { acquirers, person } = useActing();
  const [asked, setAsked] = useState<{ everywhere: boolean; imports: string[] }>();

  const leaving = useChange(async (everywhere: boolean) => {
    await stopJobs();
    const params = { query: { everywhere: everywhere ? 'true' : 'false' } } as const;
    // One that has ended needs no sign-in to end.
    await bodyOf(sessionApi().DELETE('/console/api/session', { params })).catch((error: Error) => {
      if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
    });
    // A browser without IndexedDB keeps nothing.
    await forget(person, { except: [] }).catch(() => {});
    announceSession();
    leave('/console');
    // It lasts until the page is gone, so that nothing is read without a session.
    await new Promise(() => {});
  });

  async function signOut(everywhere: boolean) {
    const { unfinishedWork } = await import('../pages/estatePages.ts');
    const imports = (await Promise.all(acquirers.map((acquirer) => unfinishedWork({ acquirer, person })))).flat();
    if (imports.length > 0) setAsked({ everywhere, imports });
    else leaving.mutate(everywhere, { onError: () => setAsked({ everywhere, imports: [] }) });
  }

  const dialog = asked && (
    <SignOutDialog
      imports={asked.imports}
      isPending={leaving.isPending}
      error={leaving.error}
      onClose={() => setAsked(undefined)}
      onSubmit={() => leaving.mutate(asked.everywhere)}
    />
  );
  return { signOut, dialog };
}
