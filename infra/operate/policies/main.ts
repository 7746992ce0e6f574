import { mkdirSync, writeFileSync } from 'node:fs';
import { accessTemplate } from './template.ts';

/* Writes the CloudFormation template of the policies of a stage: `npm run policies`. */

const TEMPLATE = '.serverless/access.json';

mkdirSync('.serverless', { recursive: true });
// Without white space: `aws cloudformation deploy` takes 51,200 bytes.
writeFileSync(TEMPLATE, JSON.stringify(accessTemplate()));
process.stdout.write(`${TEMPLATE}\n`);
