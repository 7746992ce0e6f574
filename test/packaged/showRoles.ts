import { parseArgs } from 'node:util';
import { FUNCTIONS } from '../../infra/stack/template/definitions.ts';
import { ISSUER, templateOf } from './packaging.ts';
import { statementsOfFunction } from './roles.ts';

/*
 * Prints what the role of each function allows: the actions, the kinds of items or else the resources. Those of the
 * console exist only in stages with an issuer.
 */

const { stage } = parseArgs({ options: { stage: { type: 'string', default: 'prod' } } }).values;
const template = await templateOf(stage, ISSUER);
for (const name of Object.keys(FUNCTIONS)) {
  process.stdout.write(`${name}\n`);
  for (const { Action, Resource, Condition } of statementsOfFunction(template, name)) {
    const kinds = (Condition?.['ForAnyValue:StringLike'] ?? Condition?.['ForAllValues:StringLike'])?.[
      'dynamodb:LeadingKeys'
    ];
    process.stdout.write(`  ${[kinds ?? Resource].flat().join(', ')}: ${Action.join(', ')}\n`);
  }
}
