import { isDeepStrictEqual } from 'node:util';

/*
 * Estimates the write units of a transaction before it is sent, by the rules of the DynamoDB Developer Guide ("Item
 * sizes and formats", "Read/write capacity mode", "Global secondary indexes"). An estimate is never too low.
 */

/** An item, or what a write leaves of it: `undefined` if there is none. */
type Image = Record<string, unknown> | undefined;

/** The attributes that a branch list shows. */
const LISTED = [
  'mid',
  'merchant_name',
  'area',
  'city',
  'master_merchant_name',
  'master_merchant_id',
  'created_at',
  'archived_at',
];

/** The indexes of infra/table.yml: their keys, and what they project besides keys; everything by default. */
const INDEXES: { keys: string[]; projected?: string[] }[] = [
  { keys: ['payment_provider', 'provider_position'], projected: LISTED },
  { keys: ['distributor', 'distributor_position'], projected: LISTED },
  { keys: ['mid', 'branch_order'] },
  { keys: ['branch_history', 'sk'] },
  { keys: ['terminal_history', 'sk'] },
];

/** The most digits of a number take this many bytes. */
const NUMBER_BYTES = 21;

function bytesOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.byteLength(value);
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Set || Array.isArray(value)) return [...value].reduce((sum, each) => sum + 1 + bytesOf(each), 3);
  return 3 + sizeOf(value) + Object.keys(value).length;
}

const sizeOf = (image: object): number =>
  Object.entries(image).reduce(
    (sum, [name, value]) => sum + (value === undefined ? 0 : Buffer.byteLength(name) + bytesOf(value)),
    0,
  );

/** Started KB of an item. */
const kilobytes = (image: Image): number => (image ? Math.ceil(sizeOf(image) / 1024) : 0);

/** The entry of an item in an index, if it is in it. */
const entryOf = (image: Image, { keys, projected }: (typeof INDEXES)[number]): Image =>
  image && keys.every((name) => image[name] !== undefined)
    ? Object.fromEntries(
        Object.entries(image).filter(([name]) => !projected || ['pk', 'sk', ...keys, ...projected].includes(name)),
      )
    : undefined;

function indexUnits(before: Image, after: Image): number {
  let units = 0;
  for (const index of INDEXES) {
    const [was, is] = [entryOf(before, index), entryOf(after, index)];
    if (isDeepStrictEqual(was, is)) continue;
    const isSameKey = was && is && index.keys.every((name) => was[name] === is[name]);
    units += isSameKey ? Math.max(kilobytes(was), kilobytes(is)) : kilobytes(was) + kilobytes(is);
  }
  return units;
}

/** Units, per branch, to remove its entry from a list and to change the head of the list. */
const ENTRY_UNITS = 3;

/**
 * What it costs to rank a new branch in each of its lists. A later request does that and is not charged for it, because
 * its response does not depend on it (branchRanks.ts). So the create pays.
 */
const rankingUnits = (before: Image, after: Image): number =>
  INDEXES.filter(({ projected }) => projected === LISTED).reduce((units, index) => {
    const entry = before ? undefined : entryOf(after, index);
    // A new position moves the index's entry.
    return entry ? units + 2 * kilobytes(after) + 2 * kilobytes(entry) + ENTRY_UNITS : units;
  }, 0);

/**
 * The most write units of one step of a transaction, in the table and in its indexes. DynamoDB doubles those of the
 * table.
 *
 * @param before The item before the step, as far as it is known.
 */
export const writeUnits = (before: object | undefined, after: object | undefined): number =>
  2 * Math.max(kilobytes(before as Image), kilobytes(after as Image), 1) +
  indexUnits(before as Image, after as Image) +
  rankingUnits(before as Image, after as Image);
