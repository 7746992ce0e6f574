import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { allDone, retrying, SHORT_PAUSE } from '../aws/retry.ts';
import type { Branch } from '../branches/branch.ts';
import { searchablesOf } from '../branches/branchWords.ts';
import { type MasterMerchant, searchableMasterMerchant } from '../branches/masterMerchant.ts';
import { getItems, type Item, table, tableName } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import { check, isAsRead, MOST_STEPS, put, remove, transact } from '../table/transaction.ts';
import { keysOf } from '../table/wordEntries.ts';

const isEntry = ({ pk }: keys.Key): boolean => keys.kindOf(pk) === 'WORDS';
const nameOf = ({ pk, sk }: keys.Key): string => `${pk}\n${sk}`;

/**
 * The key of what an entry leads to: a branch, or a master merchant in an acquirer's lookup. Neither is ever deleted.
 */
function targetKeyOf(item: keys.Key): keys.Key {
  if (!isEntry(item)) return item;
  const { list, acquirer } = keys.wordListOf(item);
  const id = keys.idOfWordEntry(item);
  return list === 'BRANCHES' ? keys.branchKey(id) : keys.masterMerchantEntryKey(acquirer, id);
}

/** The entries that a branch or master merchant has by the present rule. */
function entriesOf(target: keys.Key): Item<Record<string, unknown>>[] {
  const uuid = keys.masterMerchantEntryUuidOf(target);
  const searchables =
    keys.kindOf(target.pk) === 'BRANCH'
      ? searchablesOf(target as Item<Branch>)
      : [searchableMasterMerchant({ ...(target as Item<MasterMerchant>), uuid }, keys.acquirerIn(target))];
  return searchables.flatMap((each) => keysOf(each).map((key) => ({ ...key, ...each.attributes })));
}

/** Corrects the entries of what all these items lead to: those among them, and those it lacks. */
const correct = (items: keys.Key[], isDry: boolean): Promise<[stored: number, removed: number]> =>
  retrying(async () => {
    const key = targetKeyOf(items[0] as keys.Key);
    const [target] = (await getItems([key])) as [Item<Branch>];
    const entries = new Map(entriesOf(target).map((entry) => [nameOf(entry), entry]));
    const superfluous = items.filter((item) => isEntry(item) && !entries.has(nameOf(item)));
    // Those that it lacks are counted once.
    const checked = isDry && items.every(isEntry) ? [] : [...entries.values()];
    const stored = await getItems<Record<string, unknown>[]>(checked.map(({ pk, sk }) => ({ pk, sk })));
    const missing = checked.filter((entry, at) =>
      // A change of other fields keeps an earlier `since`.
      Object.keys({ ...stored[at], ...entry }).some((name) => name !== 'since' && stored[at]?.[name] !== entry[name]),
    );
    const steps = [...missing.map((entry) => put(entry, entry)), ...superfluous.map((entry) => remove(entry))];
    for (let at = 0; at < steps.length && !isDry; at += MOST_STEPS - 1)
      await transact([check(key, isAsRead(target, 'updated_at')), ...steps.slice(at, at + MOST_STEPS - 1)]);
    return [missing.length, superfluous.length];
  }, SHORT_PAUSE);

const CONCURRENCY = 100;

/**
 * Brings all search entries to the present rule (lib/base/words.ts), beside other changes. If it is interrupted,
 * another call does the rest.
 *
 * @returns How many branches and master merchants it checked, so far also to `progress`, and how many entries it stored
 *   or replaced, and removed; with `isDry`, would.
 */
export async function reindex({ isDry = false, progress = (_: number): void => {} } = {}) {
  const done = { checked: 0, stored: 0, removed: 0 };
  const scan = { TableName: tableName(), ProjectionExpression: 'pk, sk', ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) {
    const all = (Items as keys.Key[]).filter(({ pk }) => /^(BRANCH|MASTER_MERCHANTS|WORDS)#/.test(pk));
    for (let at = 0; at < all.length; at += CONCURRENCY) {
      const items = all.slice(at, at + CONCURRENCY);
      const targets = await getItems<keys.Key[]>(items.map(targetKeyOf), { ConsistentRead: false });
      // What creates a target that is not visible yet follows the present rule.
      const isRight = (item: keys.Key, target: keys.Key | undefined): boolean =>
        isEntry(item) && (!target || entriesOf(target).some((entry) => nameOf(entry) === nameOf(item)));
      const suspects = items.filter((item, index) => !isRight(item, targets[index]));
      const byTarget = Map.groupBy(suspects, (item) => nameOf(targetKeyOf(item)));
      for (const [stored, removed] of await allDone([...byTarget.values()].map((each) => correct(each, isDry)))) {
        done.stored += stored;
        done.removed += removed;
      }
      done.checked += items.filter((item) => !isEntry(item)).length;
      progress(done.checked);
    }
  }
  return done;
}
