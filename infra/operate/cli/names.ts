import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { UUID } from '../../../lib/base/mid.ts';
import { list, nameAndId } from './output.ts';
import { Stop } from './stop.ts';

const folded = (text: string): string => text.normalize().toLowerCase();

/** Filters acquirers by an id or a whole name, in upper or lower case. */
export const withName = (acquirers: Keyring[], text: string): Keyring[] =>
  acquirers.filter(({ id, name }) => [id, folded(name)].includes(folded(text)));

/**
 * Gets an acquirer by its id or its name.
 *
 * @throws Stop when there is none, or more than one, with their ids.
 */
export async function acquirerNamed(text: string): Promise<Keyring> {
  const all = await listAcquirers();
  const [found, ...others] = withName(all, text);
  if (found && others.length === 0) return found;
  if (found)
    throw new Stop(
      `${1 + others.length} acquirers are named "${found.name}". Name one by its id: ${list([found, ...others].map(({ id, type }) => `${id} (${type})`))}.`,
    );
  if (UUID.test(text)) throw new Stop(`There is no acquirer ${text.toLowerCase()}.`);
  throw new Stop(`There is no acquirer "${text}". "acquirers list" shows all.`);
}

/**
 * Checks that a name would identify one acquirer: two of one name can only be named by their ids. Two operators at the same
 * time can still choose one name.
 *
 * @param id The acquirer that gets the name, if it exists.
 * @throws Stop if another acquirer has it, or has it as its id.
 */
export async function expectNewName(name: string, id?: string): Promise<void> {
  const other = withName(await listAcquirers(), name).find((each) => each.id !== id);
  if (other)
    throw new Stop(
      `The ${other.type} ${nameAndId(other)} exists already. Choose a name that tells them apart, because commands take names.`,
    );
}

/** Returns the name of an acquirer or person by its id, or the id if there is neither. */
export type NameOf = (id: string) => string;

export async function namesOfAcquirers(nameOf = nameAndId): Promise<NameOf> {
  const names = new Map((await listAcquirers()).map((acquirer) => [acquirer.id, nameOf(acquirer)]));
  return (id) => names.get(id) ?? id;
}
