import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { STAGES } from '../../stack/template/definitions.ts';
import { findings } from './check.ts';
import { accessTemplate, documentsOf } from './template.ts';

/*
 * `npm run policies` writes the CloudFormation template of the policies of a stage. `-- --stage prod` prints the policies
 * themselves, with the account and Region of the stage's row or of `--account` and `--region`; `--policy operator` only one.
 * `-- --check <URL>` compares what CloudFormation may do with its resource provider schemas, such as those of
 * https://schema.cloudformation.eu-central-1.amazonaws.com/CloudformationSchema.zip; it exits with 1 for each difference.
 */

const TEMPLATE = '.serverless/access.json';

const { stage, policy, check, ...place } = parseArgs({
  options: {
    stage: { type: 'string' },
    policy: { type: 'string' },
    account: { type: 'string' },
    region: { type: 'string' },
    check: { type: 'string' },
  },
}).values;

function print(stage: string): void {
  if (!STAGES[stage]) throw new Error(`There is no stage "${stage}". Stages: ${Object.keys(STAGES).join(', ')}.`);
  const { account, region = '' } = { ...STAGES[stage], ...place };
  if (!account) throw new Error(`Add --account: the row of ${stage} has none.`);
  const all = documentsOf(stage, String(account), region);
  if (policy && !all[policy])
    throw new Error(`There is no policy ${policy}. Policies: ${Object.keys(all).join(', ')}.`);
  process.stdout.write(`${JSON.stringify(policy ? all[policy] : all, null, 2)}\n`);
}

try {
  if (check) {
    const found = await findings(check);
    process.stdout.write(`${[...found, `${found.length} findings`].join('\n')}\n`);
    if (found.length > 0) process.exitCode = 1;
  } else if (stage) print(stage);
  else {
    mkdirSync('.serverless', { recursive: true });
    // Without white space: `aws cloudformation deploy` takes 51,200 bytes.
    writeFileSync(TEMPLATE, JSON.stringify(accessTemplate()));
    process.stdout.write(`${TEMPLATE}\n`);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
