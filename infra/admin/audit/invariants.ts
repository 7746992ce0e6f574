import type { AcquirerType } from '../../../lib/acquirer.ts';
import {
  acquirerKey,
  apiKeyKey,
  branchKey,
  branchOrder,
  distributorKey,
  type Key,
  masterMerchantEntryKey,
  masterMerchantKey,
  masterMerchantUuidOf,
  providerKey,
  serialKey,
  terminalKey,
  tidOf,
  tidOfBranchOrder,
} from '../../../lib/table/keys.ts';
import { alone, differs, type Fault, type Invariant, isBefore, together } from './invariant.ts';
import type { AllKept } from './kept.ts';
import { entryUuidOf, KINDS, ownerOf, shownKey, unhashedIn } from './kinds.ts';
import { perList } from './lists.ts';

/**
 * By how much the clocks of two machines may differ. Only a terminal that was reassigned has times of two: it keeps the
 * time at which its former branch was archived.
 */
const CLOCKS_MS = 60_000;

/** By these, items are in the indexes: infra/table.yml. */
const INDEX_KEYS = ['provider_position', 'distributor_position', 'branch_order'];

/** What names an API key. */
const keyIdOf = (sha256: string): string => sha256.slice(0, 12);

const acquirerOf = (all: AllKept, id: string | undefined) => all.get('acquirer', acquirerKey(id ?? ''));

const noAcquirer = (all: AllKept, id: string | undefined, type: AcquirerType): Fault =>
  id !== undefined && acquirerOf(all, id)?.type !== type && `There is no ${type} ${id}.`;

/** The names of those attributes in which two items differ. */
const unlike = <N extends string>(names: N[], one: Partial<Record<N, unknown>>, other: Partial<Record<N, unknown>>) =>
  names.filter((name) => one[name] !== other[name]);

/**
 * What holds of a partnership as one of the two has it.
 *
 * @param side What the partner is to it.
 * @param back The key of the partner's own link.
 */
const partnership = (
  side: 'provider' | 'distributor',
  type: AcquirerType,
  back: { side: 'provider' | 'distributor'; keyOf: (partner: string, acquirer: string) => Key },
): Invariant => ({
  name: `${side}_link`,
  holds: `What an acquirer has as ${side} is a ${type}, is called so, and has it as ${back.side}.`,
  ...together([side], ({ name }, key, all) => {
    const partner = key.sk;
    const registered = acquirerOf(all, partner);
    return [
      noAcquirer(all, partner, type),
      name !== undefined && registered && name !== registered.name && `It is not called as the acquirer ${partner} is.`,
      !all.get(back.side, back.keyOf(partner, ownerOf(key))) && `The acquirer ${partner} does not have it.`,
    ];
  }),
});

/** All that an audit looks at. What an entry needs of other items is what their kind keeps: see kinds.ts. */
export const INVARIANTS: Invariant[] = [
  {
    name: 'known_kind',
    holds: 'Each item is of a kind that the service knows.',
    alone: ({ kind }) => [!kind && 'There is no kind of items with such a key.'],
  },
  {
    name: 'form',
    holds: 'Each item has the attributes of its kind, each in its form.',
    alone: ({ malformed }) => [malformed.length > 0 && `Missing or not in its form: ${malformed.join(', ')}.`],
  },
  {
    name: 'key',
    holds: 'The key of an item is what its attributes make of it.',
    alone({ key, kind, attributes, malformed }) {
      if (!kind || malformed.length > 0) return [];
      const right = KINDS[kind].keyOf(attributes as never, ownerOf(key), key.sk);
      const { pk, sk } = shownKey(right);
      return [(right.pk !== key.pk || right.sk !== key.sk) && `${pk} / ${sk} would be right.`];
    },
  },
  {
    name: 'hashed',
    holds: 'API keys, idempotency keys and cards are stored under their hashes.',
    alone: ({ key }) => [unhashedIn(key) !== undefined && 'Its pk does not end with a hash.'],
  },
  {
    name: 'index_keys',
    holds: 'Only branches have positions and only terminals a branch_order, so that the indexes hold nothing else.',
    alone: ({ others }) =>
      others.filter((name) => INDEX_KEYS.includes(name)).map((name) => `It has a ${name}, and is in an index by that.`),
  },
  {
    name: 'updated_at',
    holds: 'Nothing was changed before it was created.',
    ...alone(
      ['acquirer', 'branch', 'terminal'],
      ({ created_at, updated_at }) =>
        isBefore(updated_at, created_at) && `Its updated_at ${updated_at} is before its created_at ${created_at}.`,
    ),
  },

  {
    name: 'registered',
    holds: 'What belongs to an acquirer belongs to one that is registered.',
    ...together(
      [
        ...(['provider', 'distributor', 'payment_app', 'master_acquirer'] as const),
        ...(['master_merchant_entry', 'branch_list', 'branch_list_entry', 'idempotency_key', 'rate_limit'] as const),
      ],
      (_, key, all) => {
        const [acquirer] = ownerOf(key).split('#');
        return !acquirerOf(all, acquirer) && `There is no acquirer ${acquirer}.`;
      },
    ),
  },
  partnership('provider', 'PAYMENT_PROVIDER', { side: 'distributor', keyOf: distributorKey }),
  partnership('distributor', 'DISTRIBUTOR', { side: 'provider', keyOf: providerKey }),
  {
    name: 'key_id',
    holds: 'The key_id of an API key is the beginning of its hash.',
    ...alone(
      ['api_key'],
      ({ key_id }, key) => unhashedIn(key) === undefined && differs('key_id', key_id, keyIdOf(ownerOf(key))),
    ),
  },
  {
    name: 'listed_key_id',
    holds: 'So is that of an API key on the list of its acquirer.',
    ...alone(['acquirer'], ({ api_keys = [] }) =>
      api_keys.map(
        ({ key_id, sha256 }) =>
          key_id !== keyIdOf(sha256) && `It lists the key_id ${key_id}; ${keyIdOf(sha256)} would be right.`,
      ),
    ),
  },
  {
    name: 'api_key_ttl',
    holds: 'The table deletes an API key that has expired, and no other.',
    ...alone(['api_key'], ({ expires_at, ttl }) => {
      const right = expires_at && Math.ceil(Date.parse(expires_at) / 1000);
      return ttl !== right && `Its ttl is ${ttl ?? 'missing'}; ${right ?? 'none'} would be right.`;
    }),
  },
  {
    name: 'api_key_listed',
    holds: 'An API key that lets in is on the list of its acquirer.',
    ...together(['api_key'], ({ acquirer }, key, all) => {
      const lists = acquirerOf(all, acquirer?.id)?.api_keys.some(({ sha256 }) => sha256 === ownerOf(key));
      return acquirer && !lists && `The acquirer ${acquirer.id} does not list it.`;
    }),
  },
  {
    name: 'api_key_alike',
    holds: 'An API key says of itself and its acquirer what the acquirer says.',
    ...together(['api_key'], ({ acquirer, ...apiKey }, key, all) => {
      const registered = acquirerOf(all, acquirer?.id);
      const listed = registered?.api_keys.find(({ sha256 }) => sha256 === ownerOf(key));
      if (!acquirer || !registered || !listed) return;
      const names = [
        ...unlike(['type', 'name'], acquirer, registered),
        ...unlike(['rate', 'burst'], acquirer.limit ?? {}, registered.limit ?? {}),
        ...unlike(['key_id', 'label', 'expires_at'], apiKey, listed),
      ];
      return names.length > 0 && `The acquirer ${acquirer.id} has another ${names.join(', ')}.`;
    }),
  },
  {
    name: 'api_key_disabled',
    holds: 'No API key lets a disabled acquirer in.',
    ...together(['api_key'], ({ acquirer }, _, all) => {
      const disabled_at = acquirerOf(all, acquirer?.id)?.disabled_at;
      return disabled_at && `The acquirer ${acquirer?.id} is disabled since ${disabled_at}.`;
    }),
  },
  {
    name: 'api_key_stored',
    holds: 'An API key on the list of an acquirer that is not disabled lets in until it expires.',
    // One that has expired may still be there, or not: the table deletes late.
    ...together(['acquirer'], ({ api_keys, disabled_at }, _, all) =>
      api_keys.map(
        ({ sha256, key_id, expires_at }) =>
          !disabled_at &&
          !isBefore(expires_at, new Date().toISOString()) &&
          !all.get('api_key', apiKeyKey(sha256)) &&
          `It lists the API key ${key_id}, of which there is no item.`,
      ),
    ),
  },

  {
    name: 'branch_acquirers',
    holds: 'A branch has a payment provider and at most a distributor, both registered as such.',
    ...together(['branch'], ({ payment_provider, distributor }, _, all) => [
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
      noAcquirer(all, distributor, 'DISTRIBUTOR'),
    ]),
  },
  {
    name: 'distributor_position',
    holds: "A branch has a place in a distributor's list if and only if it has a distributor.",
    ...alone(['branch'], ({ distributor, distributor_position }) => [
      distributor && !distributor_position && `It has the distributor ${distributor} and no distributor_position.`,
      !distributor && distributor_position !== undefined && 'It has a distributor_position and no distributor.',
    ]),
  },
  {
    name: 'branch_count',
    holds: "The head of an acquirer's branch list counts its ranked branches.",
    ...perList(function* ({ key, head, ranked }) {
      const count = head ? head.count : 0;
      if (count === undefined || count === ranked.length) return;
      const ranks = new Set(ranked.map(({ position }) => position));
      const free = ranked.map((_, at) => at + 1).find((rank) => rank <= count && !ranks.has(rank));
      yield [key, `the count is ${count}; ${ranked.length} would be right${free ? `, or none has rank ${free}` : ''}.`];
    }),
  },
  {
    name: 'branch_ranks',
    holds: "The ranked branches of an acquirer have the ranks from 1 to their list's count, each its own.",
    ...perList(function* ({ head, ranked }) {
      for (const [at, branch] of ranked.entries()) {
        const before = ranked[at - 1];
        if (!before?.position || before.position !== branch.position) continue;
        yield [before.key, `its rank ${branch.position} is also that of ${branch.key.pk}.`];
        yield [branch.key, `its rank ${branch.position} is also that of ${before.key.pk}.`];
      }
      const count = head?.count ?? Number.POSITIVE_INFINITY;
      for (const { key, position } of ranked)
        yield [key, position > count && `its rank ${position} is beyond the count ${count}.`];
    }),
  },
  {
    name: 'branch_unranked',
    holds: 'A branch that is not ranked has its time of creation as position, and an entry in its list.',
    ...perList(function* ({ unranked, entries }) {
      const places = new Set(entries.map(({ place }) => place));
      for (const { key, position, created_at, place } of unranked) {
        if (!created_at) continue;
        const right = Date.parse(created_at);
        yield [key, position !== right && `its position is ${position}; ${right} would be right.`];
        yield [key, !places.has(place) && 'it is not ranked, and has no entry.'];
      }
    }),
  },
  {
    name: 'branch_list_entry',
    holds: 'An entry is of a branch that is not ranked, or was ranked last.',
    ...perList(function* ({ head, entries, byMid, unranked }) {
      const open = new Set(unranked.map(({ mid }) => mid));
      for (const { key, mid, place } of entries) {
        const branch = byMid.get(mid);
        if (!branch) yield [key, `there is no branch ${mid}.`];
        else if (branch.created_at && branch.place !== place)
          yield [key, `the branch ${mid} was created at ${branch.created_at}.`];
        else if (!open.has(mid) && !(head && (head.sealed?.includes(mid) ?? true)))
          yield [key, `the branch ${mid} has been ranked for long.`];
      }
    }),
  },
  {
    name: 'branch_list_sealed',
    holds:
      "The head of an acquirer's branch list names the branches with the last ranks, in their order, and how far they go.",
    ...perList(function* ({ key, head, byMid }) {
      const { count, sealed, sealed_to } = head ?? {};
      if (count === undefined || sealed === undefined) return;
      for (const [at, mid] of sealed.entries()) {
        const rank = count - sealed.length + at + 1;
        const branch = byMid.get(mid);
        yield [key, branch?.position !== rank && `it names ${mid} as rank ${rank}.`];
        const isBehind = branch?.created_at !== undefined && isBefore(sealed_to, branch.place);
        yield [key, isBehind && `its sealed_to ${sealed_to} is before ${branch.place}, that of rank ${rank}.`];
      }
      yield [key, sealed.length === 0 && 'it names no branch.'];
    }),
  },
  {
    name: 'branch_archived_at',
    holds: 'A branch was archived after it was created, and not changed before that.',
    ...alone(['branch'], ({ created_at, updated_at, archived_at }) => [
      isBefore(archived_at, created_at) && `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
      isBefore(updated_at, archived_at) && `Its updated_at ${updated_at} is before its archived_at ${archived_at}.`,
    ]),
  },
  {
    name: 'branch_master_merchant',
    holds: "A branch's master merchant is one of its payment provider, by the id and name that the branch shows.",
    ...together(['branch'], ({ existing_master_merchant: uuid, payment_provider, ...branch }, _, all) => {
      if (!uuid || !payment_provider) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { master_merchant_id, master_merchant_name: name } = branch;
      const names = unlike(['payment_provider', 'master_merchant_id', 'name'], owner, {
        ...{ payment_provider, master_merchant_id, name },
      });
      return names.length > 0 && `Its master merchant has another ${names.join(', ')}.`;
    }),
  },
  {
    name: 'branch_master_merchant_entry',
    holds: 'Both acquirers of a branch have its master merchant in their lookups.',
    ...together(['branch'], ({ existing_master_merchant: uuid, payment_provider, distributor }, _, all) =>
      [payment_provider, distributor].map(
        (acquirer): Fault =>
          acquirer &&
          uuid &&
          !all.get('master_merchant_entry', masterMerchantEntryKey(acquirer, uuid)) &&
          `The acquirer ${acquirer} does not have the master merchant ${uuid} in its lookup.`,
      ),
    ),
  },
  {
    name: 'master_merchant_uuid',
    holds: 'The UUID of a master merchant is that of its payment provider and its master_merchant_id.',
    ...alone(['master_merchant'], ({ uuid, payment_provider, master_merchant_id }) =>
      differs('uuid', uuid, masterMerchantUuidOf(payment_provider, master_merchant_id)),
    ),
  },
  {
    name: 'master_merchant_provider',
    holds: 'A master merchant belongs to a payment provider that is registered.',
    ...together(['master_merchant'], ({ payment_provider }, _, all) =>
      noAcquirer(all, payment_provider, 'PAYMENT_PROVIDER'),
    ),
  },
  {
    name: 'master_merchant_listed',
    holds: "A master merchant is in its payment provider's lookup.",
    ...together(['master_merchant'], ({ payment_provider }, { pk, sk }, all) => {
      const uuid = ownerOf({ pk, sk });
      const isListed =
        !payment_provider || all.get('master_merchant_entry', masterMerchantEntryKey(payment_provider, uuid));
      return !isListed && `The payment provider ${payment_provider} does not have it in its lookup.`;
    }),
  },
  {
    name: 'master_merchant_entry',
    holds:
      'A lookup shows a master merchant that exists, with its name, its id and, to a distributor, its payment provider.',
    ...together(['master_merchant_entry'], (entry, key, all) => {
      const uuid = entryUuidOf(key.sk);
      if (!uuid || !entry.master_merchant_id) return;
      const owner = all.get('master_merchant', masterMerchantKey(uuid));
      if (!owner) return `There is no master merchant ${uuid}.`;
      const { name, master_merchant_id, payment_provider } = owner;
      const isOwn = payment_provider === ownerOf(key);
      const shown = { name, master_merchant_id, payment_provider: isOwn ? undefined : payment_provider };
      return (Object.keys(shown) as (keyof typeof shown)[]).map((field) =>
        differs(field, entry[field] ?? 'absent', shown[field] ?? 'absent'),
      );
    }),
  },
  {
    name: 'master_merchant_branch',
    holds: 'An acquirer has a master merchant in its lookup because it has a branch of it.',
    *together(all) {
      const owners = new Set<string>();
      for (const [{ existing_master_merchant, payment_provider, distributor }] of all.of('branch'))
        for (const acquirer of [payment_provider, distributor]) owners.add(`${acquirer} ${existing_master_merchant}`);
      for (const [, key] of all.of('master_merchant_entry')) {
        const uuid = entryUuidOf(key.sk);
        yield [key, uuid && !owners.has(`${ownerOf(key)} ${uuid}`) && `${ownerOf(key)} has no branch of it.`];
      }
    },
  },

  {
    name: 'tid',
    holds: "A terminal's TID is that of its terminal_id.",
    ...alone(['terminal'], ({ tid, terminal_id }) => differs('tid', tid, tidOf(terminal_id))),
  },
  {
    name: 'branch_order',
    holds: "A terminal's branch_order is made of its created_at, its place in the request, and its TID.",
    ...alone(['terminal'], ({ tid, created_at, branch_order }) => {
      const place = Number(branch_order.slice(created_at.length + 1, -tid.length - 1));
      return differs('branch_order', branch_order, branchOrder(created_at, Number.isInteger(place) ? place : 0, tid));
    }),
  },
  {
    name: 'terminal_archived_at',
    holds: 'A terminal was archived after it was created.',
    ...alone(
      ['terminal'],
      ({ created_at, archived_at = '' }) =>
        Date.parse(archived_at) + CLOCKS_MS < Date.parse(created_at) &&
        `Its archived_at ${archived_at} is before its created_at ${created_at}.`,
    ),
  },
  {
    name: 'archive_reason',
    holds: 'A terminal has an archive_reason if and only if it is archived itself.',
    ...alone(['terminal'], ({ archived_at, archive_reason }) => [
      archived_at && !archive_reason && 'It has an archived_at and no archive_reason.',
      archive_reason && !archived_at && 'It has an archive_reason and no archived_at.',
    ]),
  },
  {
    name: 'restored',
    holds: 'Only a terminal that is not archived itself, under a branch that is, is marked as restored.',
    ...together(['terminal'], ({ restored, archived_at, mid = '' }, _, all) => {
      if (!restored) return;
      const branch = all.get('branch', branchKey(mid));
      return [
        archived_at && `It is marked as restored, and archived at ${archived_at}.`,
        branch && !branch.archived_at && `It is marked as restored, and its branch ${mid} is not archived.`,
      ];
    }),
  },
  {
    name: 'terminal_branch',
    holds: 'A terminal is under a branch that there is.',
    ...together(
      ['terminal'],
      ({ mid }, _, all) => mid && !all.get('branch', branchKey(mid)) && `There is no branch ${mid}.`,
    ),
  },
  {
    name: 'terminal_count',
    holds: 'A branch counts the terminals that are under it.',
    *together(all) {
      const counts = new Map<string, number>();
      for (const [{ mid = '' }] of all.of('terminal')) counts.set(mid, (counts.get(mid) ?? 0) + 1);
      for (const [{ terminal_count }, key] of all.of('branch'))
        if (terminal_count !== undefined)
          yield [key, differs('terminal_count', terminal_count, counts.get(ownerOf(key)) ?? 0)];
    },
  },
  {
    name: 'terminal_changes',
    holds: 'The last change of a terminal that a branch names tells whether the terminal is under it.',
    ...together(['branch'], ({ terminal_changes = {} }, { pk }, all) => {
      const isHere = new Map<string, boolean>();
      for (const [, change] of Object.entries(terminal_changes).sort(([a], [b]) => (a < b ? -1 : 1)))
        if ('went' in change) isHere.set(change.went, false);
        else for (const order of change.came) isHere.set(tidOfBranchOrder(order), true);
      return [...isHere].map(([tid, came]): Fault => {
        const { mid } = all.get('terminal', terminalKey(tid)) ?? {};
        if (came) return mid !== ownerOf({ pk, sk: '' }) && `It names the terminal ${tid}, which is not under it.`;
        return mid === ownerOf({ pk, sk: '' }) && `It names the terminal ${tid} as gone, which is under it.`;
      });
    }),
  },
  {
    name: 'serial_claimed',
    holds: "A terminal's serial_no is claimed for it.",
    ...together(['terminal'], ({ serial_no }, key, all) => {
      if (!serial_no) return;
      const claim = all.get('serial', serialKey(serial_no));
      if (!claim) return `Nothing claims its serial_no ${serial_no}.`;
      return claim.tid && claim.tid !== ownerOf(key) && `Its serial_no ${serial_no} is claimed for ${claim.tid}.`;
    }),
  },
  {
    name: 'serial_held',
    holds: 'A serial_no is claimed for a terminal that has it.',
    ...together(['serial'], ({ tid }, key, all) => {
      if (!tid) return;
      const terminal = all.get('terminal', terminalKey(tid));
      if (!terminal) return `There is no terminal ${tid}.`;
      return terminal.serial_no !== ownerOf(key) && `The terminal ${tid} has ${terminal.serial_no ?? 'no serial_no'}.`;
    }),
  },

  {
    name: 'kept_answer',
    holds: 'The answer that is kept for an Idempotency-Key leads to a branch that there is.',
    ...together(['idempotency_key'], ({ location }, _, all) => {
      const mid = location?.split('/').at(-1);
      return mid !== undefined && !all.get('branch', branchKey(mid)) && `There is no branch ${mid}.`;
    }),
  },
  {
    name: 'reward_period',
    holds: 'A reward becomes valid before it expires.',
    ...alone(
      ['reward'],
      ({ valid_from, expires_at }) =>
        valid_from >= expires_at && `It is valid from ${valid_from} and expires at ${expires_at}.`,
    ),
  },
];
