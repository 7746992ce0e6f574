import { parseArgs } from 'node:util';
import { FUNCTIONS } from '../../infra/template/definitions.ts';
import { ISSUER, templateOf } from './packaging.ts';
import { roleOf } from './simulator.ts';

/*
 * Prints what the role of each function allows, as the simulator judges it, and what no function can use. Those of the
 * console exist only in stages with an issuer.
 */

const { stage } = parseArgs({ options: { stage: { type: 'string', default: 'prod' } } }).values;
const template = await templateOf(stage, ISSUER);
const unused = new Set<string>();
const used = new Set<string>();
for (const name of Object.keys(FUNCTIONS)) {
  const role = await roleOf(template, name);
  for (const { resource } of role.requests) unused.add(resource);
  const byResource = Object.groupBy(await role.allowed(), ({ resource }) => resource);
  process.stdout.write(`${name}\n`);
  for (const [resource, requests = []] of Object.entries(byResource)) {
    used.add(resource);
    const actions = requests.map(({ action }) => action.replace(/^\w+:/, ''));
    process.stdout.write(`  ${resource}: ${actions.join(', ')}\n`);
  }
}
process.stdout.write(`Denied to all functions\n  ${[...unused.difference(used)].join(', ')}\n`);
