import type { Report } from '../audit/audit.ts';
import type { Group } from '../command.ts';
import { oneLine } from '../explain.ts';
import { table } from '../output.ts';
import * as service from '../service.ts';
import { Stop } from '../stop.ts';

/** Maximum number of violations printed per invariant; --json prints all. */
const MAX_SHOWN = 20;

const HELP = `
Changes nothing. Reads the whole table, and a second time if it finds violations, because a change made during the scan
can look like one. The exit code is 0 without violations, and 1 with any.
With --json, prints { "items": { <kind>: <count> }, "broken": [{ "invariant", "item": { "pk", "sk" }, "detail" }] }.

Examples:
  $ npm run operator -- audit --stage prod
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
  const found = service.INVARIANTS.flatMap(({ name, holds }) => {
    const violations = broken.filter(({ invariant }) => invariant === name);
    if (violations.length === 0) return [];
    const lines = violations
      .slice(0, MAX_SHOWN)
      .map(({ item: { pk, sk }, detail }) => oneLine(`${pk} / ${sk}: ${detail}`));
    const more = violations.length > MAX_SHOWN ? [`and ${violations.length - MAX_SHOWN} more`] : [];
    return [[`${name}: ${holds}`, ...[...lines, ...more].map((line) => `  ${line}`)].join('\n')];
  });
  const verdict =
    found.length > 0 ? found.join('\n\n') : `No violations: all ${service.INVARIANTS.length} invariants hold.`;
  return `${table(counted, { KIND: 'kind', ITEMS: 'count' })}\n\n${verdict}`;
}
