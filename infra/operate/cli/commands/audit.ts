import type { Report } from '../audit/audit.ts';
import type { Group } from '../command.ts';
import { oneLine } from '../explain.ts';
import { table } from '../output.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';

const MAX_SHOWN = 20;

const HELP = `
Changes nothing. Reads the whole table, and a second time if it finds violations, because a change made during the scan
can look like one. The exit code is 0 without violations, and 1 with any.
With --json, prints { "items": { <kind>: <count> }, "broken": [{ "invariant", "item": { "pk", "sk" }, "detail" }] }.

Example:
  $ npm run --silent operator -- audit --table acquirer-partner-api-prod-2 --json | jq -r '.broken[].invariant' | sort | uniq -c`;

export const audit: Group = (program) => {
  program
    .add('audit', 'read the whole table and report invariant violations')
    .addHelpText('after', HELP)
    .runs(async ({ print }) => {
      const report = await service.audit(service.table, service.tableName());
      await print(report, textOf(report));
      if (report.broken.length > 0) throw new Stop(`Invariant violations: ${report.broken.length}.`);
    });
};

function textOf({ items, broken }: Report): string {
  const counted = Object.entries(items).flatMap(([kind, count]) => (count > 0 ? [{ kind, count }] : []));
  const byName = Map.groupBy(broken, ({ invariant }) => invariant);
  const found = Object.entries(service.INVARIANTS).flatMap(([name, [holds]]) => {
    const lines = (byName.get(name) ?? []).map(({ item: { pk, sk }, detail }) => oneLine(`${pk} / ${sk}: ${detail}`));
    if (lines.length > MAX_SHOWN) lines.push(`and ${lines.splice(MAX_SHOWN).length} more`);
    return lines.length > 0 ? [[`${name}: ${holds}`, ...lines].join('\n  ')] : [];
  });
  const sound = `No violations: all ${Object.keys(service.INVARIANTS).length} invariants hold.`;
  return `${table(counted, { KIND: 'kind', ITEMS: 'count' })}\n\n${found.join('\n\n') || sound}`;
}
