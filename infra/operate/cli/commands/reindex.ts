import type { Group } from '../command.ts';
import * as service from '../service.ts';

const HELP = `
Searches find what an older version stored by the words of that version. Run it after a deployment that changes these words:
CHANGELOG.md says so. Reads the whole table, and may run while partners write. If it is interrupted, run it again.`;

export const reindex: Group = (program) => {
  program
    .add('reindex', 'bring all stored search entries to the words of this version')
    .option('--count', 'change nothing; only count what is outdated')
    .addHelpText('after', HELP)
    .runs(async ({ print, showCount }, { count = false }: { count?: boolean }) => {
      const done = await service.reindex({ isDry: count, progress: showCount });
      const { checked, stored, removed } = done;
      const changes = count ? `To store: ${stored}, to remove: ${removed}.` : `Stored: ${stored}, removed: ${removed}.`;
      const result = stored + removed > 0 ? changes : 'All are up to date.';
      await print(done, `Checked the search entries of ${checked} branches and master merchants. ${result}`);
    });
};
