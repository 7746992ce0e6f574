import { Problem } from './problem.ts';

interface State {
  updated_at: string;
  archived_at?: string | null;
}

/**
 * The strong ETag (RFC 9110 §8.8.3): `updated_at` and, if it is archived, `/` and `archived_at`. A terminal can be
 * archived with its branch at a time before its own `updated_at` if clocks differ.
 */
export const etagOf = ({ updated_at, archived_at }: State): string =>
  `"${archived_at ? `${updated_at}/${archived_at}` : updated_at}"`;

/**
 * What proxies that compress responses make of an ETag: they weaken it (nginx, CloudFront), or add the coding to it
 * (Apache, Jetty).
 */
const OF_PROXIES = /^W\/|-{1,2}(?:gzip|br|zstd|deflate)(?="$)/g;

/**
 * Checks the precondition of a change (RFC 9110 §13.1.1), whose write must require that the state is as read.
 *
 * An ETag that a proxy has altered counts as ours: ours name the state and are never weak, so what is left of it says
 * the same. Compared strongly, it would never match, and whoever reads again would get no other.
 *
 * @param if_match The header `If-Match`: a list of ETags, or `*`; `undefined` if there is no precondition.
 * @throws Problem `precondition_failed` with the current ETag.
 */
export function expectState({ if_match }: { if_match?: string | undefined }, state: State): void {
  if (if_match === undefined) return;
  const etag = etagOf(state);
  const expected = if_match.split(',').map((each) => each.trim().replace(OF_PROXIES, ''));
  if (expected.includes(etag) || expected.includes('*')) return;
  throw new Problem(
    'precondition_failed',
    `If-Match does not list the current ETag ${etag}. Read it again, then decide whether to repeat your change.`,
    { etag },
  );
}
