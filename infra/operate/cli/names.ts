import type { Keyring } from '../../../lib/acquirers/keyring.ts';

const folded = (text: string): string => text.normalize().toLowerCase();

/** Filters acquirers by an id or a whole name, in upper or lower case. */
export const withName = (acquirers: Keyring[], text: string): Keyring[] =>
  acquirers.filter(({ id, name }) => [id, folded(name)].includes(folded(text)));

/** How many letters to insert, delete or replace to turn one text into another (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...one].entries()) {
    const next = [above + 1];
    for (const [at, another] of [...other].entries())
      next.push(
        Math.min(
          (next[at] as number) + 1,
          (row[at + 1] as number) + 1,
          (row[at] as number) + Number(letter !== another),
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}

const MOST_SUGGESTED = 5;

/**
 * Suggests up to five names, the most similar ones first: those that contain a text, or differ from it in one of three
 * letters, at most two. Empty without any.
 */
export function suggestion(text: string, acquirers: Keyring[]): string {
  const most = Math.min(2, Math.floor(text.length / 3));
  const similar = [...new Set(acquirers.map(({ name }) => name))]
    .map((name) => ({ name, differing: distance(folded(name), folded(text)) }))
    .filter(({ name, differing }) => folded(name).includes(folded(text)) || differing <= most)
    .sort((one, other) => one.differing - other.differing)
    .slice(0, MOST_SUGGESTED);
  return similar.length > 0 ? ` Did you mean ${similar.map(({ name }) => name).join(' or ')}?` : '';
}
