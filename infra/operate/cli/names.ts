import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { UUID } from '../../../lib/base/mid.ts';
import { list, nameAndId } from './output.ts';
import { Stop } from './stop.ts';

const folded = (text: string): string => text.normalize().toLowerCase();

/** Filters acquirers by an id or a whole name, in upper or lower case. */
export const withName = (acquirers: Keyring[], text: string): Keyring[] =>
  acquirers.filter(({ id, name }) => [id, folded(name)].includes(folded(text)));

/** How many letters to insert, delete or replace to turn one text into another (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (const [at, another] of [...other].entries()) {
      const [inserted = 0, replaced = 0, removed = 0] = [next[at], row[at], row[at + 1]];
      next.push(Math.min(inserted + 1, removed + 1, replaced + Number(letter !== another)));
    }
    row = next;
  }
  return row.at(-1) as number;
}

const MOST_SUGGESTED = 5;

/**
 * Suggests up to five names, the most similar ones first: those that contain a text, or differ from it in one of three
 * letters, at most two. Empty without any.
 */
export function suggestion(text: string, acquirers: Pick<Keyring, 'name'>[]): string {
  const most = Math.min(2, Math.floor(text.length / 3));
  const similar = [...new Set(acquirers.map(({ name }) => name))]
    .map((name) => ({ name, differing: distance(folded(name), folded(text)) }))
    .filter(({ name, differing }) => folded(name).includes(folded(text)) || differing <= most)
    .sort((one, other) => one.differing - other.differing)
    .slice(0, MOST_SUGGESTED);
  return similar.length > 0 ? ` Did you mean ${similar.map(({ name }) => name).join(' or ')}?` : '';
}

/** Suggests acquirers with a similar name; empty without any. */
export const similarAcquirers = async (text: string): Promise<string> => suggestion(text, await listAcquirers());

/**
 * Gets an acquirer by its id or its name.
 *
 * @throws Stop when there is none, with similar names, or more than one, with their ids.
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
  throw new Stop(`There is no acquirer "${text}".${suggestion(text, all) || ' "acquirers list" shows all.'}`);
}

/** Returns the name of an acquirer or person by its id, or the id if there is neither. */
export type NameOf = (id: string) => string;

/** Names acquirers by their ids. */
export async function namesOfAcquirers(nameOf = nameAndId): Promise<NameOf> {
  const names = new Map((await listAcquirers()).map((acquirer) => [acquirer.id, nameOf(acquirer)]));
  return (id) => names.get(id) ?? id;
}
