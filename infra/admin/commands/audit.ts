import type { Report } from '../audit/audit.ts';
import { oneLine } from '../explain.ts';
import { table } from '../output.ts';
import type { Group, Service } from '../session.ts';
import { Stop } from '../stop.ts';

/** So many items people are shown of each invariant that does not hold; --json has all. */
const SHOWN = 20;

const HELP = `
Changes nothing. It reads every item, and all of them once more when something seems broken: a change that is made
meanwhile can look so. The exit code is 0 when all is sound, and 1 when something is broken.
With --json, the answer is { "items": { <kind>: <count> }, "broken": [{ "invariant", "item": { "pk", "sk" }, "detail" }] }.

Examples:
  $ npm run admin -- audit --stage prod
  $ npm run --silent admin -- audit --table acquirer-partner-api-prod-2 --json | jq -r '.broken[].invariant' | sort | uniq -c`;

export const audit: Group = (program, action) => {
  program
    .command('audit')
    .description('read the whole table and report what is broken in it')
    .addHelpText('after', HELP)
    .action(
      action(async ({ service, response }) => {
        const report = await service.audit(service.table, service.tableName());
        await response(report, textOf(report, service));
        if (report.broken.length > 0) throw new Stop(`Broken: ${report.broken.length} in all.`);
      }),
    );
};

function textOf({ items, broken }: Report, { INVARIANTS }: Service): string {
  const counted = Object.entries(items).flatMap(([kind, count]) => (count > 0 ? [[kind, String(count)]] : []));
  const found = INVARIANTS.flatMap(({ name, holds }) => {
    const violations = broken.filter(({ invariant }) => invariant === name);
    if (violations.length === 0) return [];
    const lines = violations.slice(0, SHOWN).map(({ item: { pk, sk }, detail }) => oneLine(`${pk} / ${sk}: ${detail}`));
    const more = violations.length > SHOWN ? [`and ${violations.length - SHOWN} more`] : [];
    return [[`${name}: ${holds}`, ...[...lines, ...more].map((line) => `  ${line}`)].join('\n')];
  });
  const verdict = found.length > 0 ? found.join('\n\n') : `Sound: all ${INVARIANTS.length} invariants hold.`;
  return `${table(['KIND', 'ITEMS'], counted)}\n\n${verdict}`;
}
