import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { STAGES } from '../template/definitions.ts';
import { boundary, executionOf, policiesOf } from './policies.ts';
import { accessTemplate, textOf } from './template.ts';

/*
 * `npm run policies` writes the CloudFormation template of each stage's policies. `-- --stage prod` prints the policies
 * themselves, with the account and Region of the stage's row or of `--account` and `--region`; `--policy operator` only one.
 */

const { stage, policy, ...place } = parseArgs({
  options: {
    stage: { type: 'string' },
    policy: { type: 'string' },
    account: { type: 'string' },
    region: { type: 'string' },
  },
}).values;

/** The value with what CloudFormation would replace in it. */
function resolved(value: unknown, known: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, known));
  if (typeof value !== 'object' || value === null) return value;
  if ('Fn::Sub' in value) return String(value['Fn::Sub']).replace(/\$\{AWS::(\w+)\}/g, (_, name) => known[name] ?? '');
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, known)]));
}

function print(stage: string): void {
  const { account, region } = { ...STAGES[stage], ...place };
  if (!account) throw new Error(`Add --account: the row of ${stage} in serverless.yml has none.`);
  const all = { ...policiesOf(stage), cloudformation: executionOf(stage), boundary: boundary(stage) };
  const found = policy ? all[policy as keyof typeof all] : all;
  if (!found) throw new Error(`There is no policy ${policy}. Policies: ${Object.keys(all).join(', ')}.`);
  process.stdout.write(
    `${textOf(resolved(found, { Partition: 'aws', Region: region ?? '', AccountId: String(account) }))}\n`,
  );
}

try {
  if (stage && !STAGES[stage])
    throw new Error(`There is no stage "${stage}". Stages: ${Object.keys(STAGES).join(', ')}.`);
  if (stage) print(stage);
  else
    for (const each of Object.keys(STAGES))
      writeFileSync(new URL(`./${each}.json`, import.meta.url), `${textOf(accessTemplate(each))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
