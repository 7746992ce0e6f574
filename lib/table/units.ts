/* Estimates the write units of a transaction by the rules of the DynamoDB Developer Guide, never too low. */

/** An item, or what a write leaves of it: `undefined` if there is none. */
type Image = { [name: string]: unknown } | undefined;

/** The sort keys of the indexes in infra/stack/table.yml: an item that has one is in that index. */
const INDEX_KEYS = ['provider_position', 'distributor_position', 'branch_order', 'branch_history', 'terminal_history'];

/** The most digits of a number take this many bytes. */
const NUMBER_BYTES = 21;

function bytesOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.byteLength(value);
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 1;
  const parts = value instanceof Set || Array.isArray(value) ? [...value] : Object.entries(value).flat();
  return parts.reduce((sum: number, part) => sum + 1 + bytesOf(part), 3);
}

/** Started KB of an item. */
const kilobytes = (image: Image = {}): number =>
  Math.ceil(
    Object.entries(image).reduce(
      (sum, [name, value]) => sum + (value === undefined ? 0 : bytesOf(name) + bytesOf(value)),
      0,
    ) / 1024,
  );

/**
 * The most write units of one step of a transaction, in the table, where DynamoDB doubles them, and in its indexes.
 * They include what it costs to rank a new branch, for which no later request is charged (ranks.ts).
 *
 * @param read The item before the step, as far as it is known.
 * @param written The item after it, or what the step knows of it.
 */
export function writeUnits(read: object | undefined, written: object | undefined): number {
  const [before, after] = [read as Image, written as Image];
  // No index has the terminals that a branch lists.
  const { terminals, ...entry } = { ...before, ...after };
  const size = Math.max(kilobytes(before), kilobytes(after), 1);
  const indexes = INDEX_KEYS.filter((name) => entry[name] !== undefined).length;
  const isSameEntry = Object.keys(entry).every(
    (name) => name === 'terminals_changed_at' || before?.[name] === after?.[name],
  );
  // A new key removes an entry and adds another.
  const entries = before && before['mid'] !== after?.['mid'] ? 2 : 1;
  const isNewBranch = !before && entry['provider_position'] !== undefined;
  return (
    2 * size +
    (isSameEntry ? 0 : indexes * entries * kilobytes(entry)) +
    (isNewBranch ? indexes * (2 * size + 2 * kilobytes(entry) + RANKING_UNITS) : 0)
  );
}

/** Units, per branch and list, to remove its entry from the list and to change the head. */
const RANKING_UNITS = 3;
