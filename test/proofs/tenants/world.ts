import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Acquirer, AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import { FEED } from '../../../lib/events/feed.ts';
import type { Reward } from '../../../lib/members/member.ts';
import { disableAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { createAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey, revokeApiKey, rotateApiKey } from '../../../lib/operator/apiKeys.ts';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { call, type Operation, type Request, STATUSES } from '../../support/api.ts';
import { branchBody, FREE_TEXTS } from '../../support/requests.ts';
import { eventsIn, stored } from '../../support/stored.ts';
import { addNames, archiveBranch, type Caller, newBranch, newTerminal } from '../../support/world.ts';

/*
 * A small world with fixed names, because the file has a table of its own. A provider and a distributor have branches
 * that are hidden from everyone else. Outsiders, who are as close to them as can be, try to access these.
 */

const acquirer = (id: string, type: AcquirerType, name: string): Acquirer => ({ id, type, name });

export const PROVIDER = acquirer('19f7abe0-fe71-406c-bbde-6d21af8693e0', 'PAYMENT_PROVIDER', 'Hidden Payments');
export const DISTRIBUTOR = acquirer('4ba84bf5-4523-47fc-80f6-695cbd4dab35', 'DISTRIBUTOR', 'Hidden Gate');
/** The distributor of the hidden archived branch. It was disabled later. */
const DISABLED = acquirer('77ab5a19-35bf-4f40-88d0-98568f229ccc', 'DISTRIBUTOR', 'Hidden Bridge');

const ANOTHER_PROVIDER = acquirer('ab71cda0-2aee-430b-8c60-bc414ed7602b', 'PAYMENT_PROVIDER', 'Trustcard');
const ANOTHER_DISTRIBUTOR = acquirer('71e0c0bd-12f5-46c4-9373-b4a5e0f918d0', 'DISTRIBUTOR', 'Silverline');
/** A distributor of the provider, on branches of its own. */
const PARTNER = acquirer('dd58e8e8-7d14-419e-a846-6540302f1c0f', 'DISTRIBUTOR', 'Northgate');
/** A provider with the same distributor as the hidden one. */
const NEIGHBOUR = acquirer('a72e28be-6e96-42cf-ba48-fc51e7d3b025', 'PAYMENT_PROVIDER', 'Quickpay');

/** An acquirer's resources, with names that begin with its prefix: two branches, and two terminals under the first. */
const resourcesOf = (prefix: string, { id: provider }: Acquirer) => ({
  mid: `${prefix}MID1`,
  otherMid: `${prefix}MID2`,
  terminal_id: `${prefix}T1`,
  serial_no: `${prefix}S1`,
  tid: tidOf(`${prefix}T1`),
  archived: { terminal_id: `${prefix}T2`, serial_no: `${prefix}S2`, tid: tidOf(`${prefix}T2`) },
  masterMerchants: [`${prefix}MM1`, `${prefix}MM2`].map((id) => ({ id, uuid: masterMerchantUuidOf(provider, id) })),
  payment_app: `${prefix} App`,
  acquirer_name: `${prefix} Bank`,
});
type Resources = ReturnType<typeof resourcesOf>;

/** A text for every field of a branch and its master merchant that takes any. */
const HIDDEN_TEXTS = Object.fromEntries(
  FREE_TEXTS.filter((name) => name in branchBody()).map((name) => [name, `Hidden ${name}`]),
);

export const HIDDEN = {
  ...resourcesOf('HIDDEN', PROVIDER),
  /** Fields of the first two branches and of the terminals under the first. */
  texts: {
    ...HIDDEN_TEXTS,
    branch_name: 'Hidden Harbour',
    area: 'Hidden Docks',
    city: 'Hiddenport',
    master_merchant_name: 'Hidden Bakeries',
    email: 'office@hidden.example',
    country_code: 'HIDDENLAND',
    phone: '+351 22 000 815',
    mcc: '5812',
    country: 'Hidden Country',
  },
  terminal_model: 'Hidden Handheld',
  reason: 'Hidden repair',
  /** An archived branch and its terminal. */
  past: { mid: 'HIDDENMID3', terminal_id: 'HIDDENT3', tid: tidOf('HIDDENT3') },
  /** A branch of the provider alone, and its terminal. */
  alone: { mid: 'b9591444-4909-4a7f-9cd4-e9bac598e44b', terminal_id: 'HIDDENT4', tid: tidOf('HIDDENT4') },
  /** A deleted terminal. */
  deleted: { terminal_id: 'HIDDENT6', tid: tidOf('HIDDENT6') },
};

/** A terminal that the provider has moved from a branch of its partner to the hidden one. */
export const GONE = { terminal_id: 'CHARLIET3', tid: tidOf('CHARLIET3') };

/** Requests of the provider that were sent with an Idempotency-Key. */
export const KEYED = {
  createBranch: {
    headers: { 'idempotency-key': 'hidden-key-1' },
    body: { mid: HIDDEN.alone.mid, master_merchant_id: 'HIDDENMM4' },
  },
  createTerminals: {
    headers: { 'idempotency-key': 'hidden-key-2' },
    path: { id: HIDDEN.alone.mid },
    body: { terminals: [{ terminal_id: HIDDEN.alone.terminal_id }, { terminal_id: 'HIDDENT5' }] },
  },
  reassignTerminal: {
    headers: { 'idempotency-key': 'hidden-key-3' },
    path: { id: tidOf('HIDDENT5') },
    body: { mid: HIDDEN.mid },
  },
} satisfies { [K in Operation]?: Request };

/** Cards belong to no acquirer: anyone who is shown a card may check it. */
export const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
export const OTHER_CARD = { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' };

const REWARD: Reward = {
  reward_id: 'a',
  name: '5 EUR off',
  currency: 'EUR',
  minimum_amount: 50,
  valid_from: '2020-01-01T00:00:00.000Z',
  expires_at: '2099-12-31T23:59:59.999Z',
};

/** The acquirers of an outsider's branches. */
interface Pair {
  payment_provider: Acquirer;
  distributor?: Acquirer;
}

/** An acquirer that tries to access what is hidden, with its own resources. */
export interface Outsider extends Acquirer, Resources, Pair {
  /** Its name in test titles. */
  who: string;
  partners: Acquirer[];
  /** These two as it sends them when it creates a branch. */
  names: { payment_provider: string; distributor: string | null };
  /** Its API key, once the world is built. */
  key: string;
}

const outsider = (
  who: string,
  prefix: string,
  me: Acquirer,
  { partners = [], ...pair }: Pair & { partners?: Acquirer[] },
): Outsider => {
  const { payment_provider, distributor } = pair;
  const names = { payment_provider: payment_provider.id, distributor: distributor?.id ?? null };
  return { ...me, ...resourcesOf(prefix, payment_provider), ...pair, who, partners, names, key: '' };
};

/** Label of the outsiders' API keys. */
const OWN_LABEL = 'production';

/** Prefix of the names of the provider's partner. */
const CHARLIE = 'CHARLIE';

/** Acquirers with a valid key that have no part in the hidden branches. */
export const OUTSIDERS = [
  outsider('another provider', 'ALFA', ANOTHER_PROVIDER, {
    partners: [ANOTHER_DISTRIBUTOR],
    payment_provider: ANOTHER_PROVIDER,
  }),
  outsider('a distributor that is no partner', 'BRAVO', ANOTHER_DISTRIBUTOR, {
    partners: [ANOTHER_PROVIDER],
    payment_provider: ANOTHER_PROVIDER,
    distributor: ANOTHER_DISTRIBUTOR,
  }),
  outsider('a distributor that acts for the provider, but not for the branch', CHARLIE, PARTNER, {
    partners: [PROVIDER],
    payment_provider: PROVIDER,
    distributor: PARTNER,
  }),
  outsider("another provider of the branch's distributor", 'DELTA', NEIGHBOUR, {
    partners: [DISTRIBUTOR],
    payment_provider: NEIGHBOUR,
    distributor: DISTRIBUTOR,
  }),
];

/** Acquirers that could access the hidden branches if their keys were still valid. */
const withInvalidKey = (who: string, me: Acquirer): Outsider =>
  outsider(who, 'HIDDEN', me, { payment_provider: PROVIDER, distributor: DISTRIBUTOR });
export const REVOKED = withInvalidKey('the provider with a revoked key', PROVIDER);
export const EXPIRED = withInvalidKey('the provider with a key that expired after its rotation', PROVIDER);
export const WAS_DISABLED = withInvalidKey('the disabled distributor of the archived branch', DISABLED);

export const isPartner = ({ id }: Acquirer): boolean => id === PARTNER.id;
export const isNeighbour = ({ id }: Acquirer): boolean => id === NEIGHBOUR.id;

/** Outsiders that share their branches with this one, in the order of creation. */
const sharedBy = (me: Acquirer) =>
  OUTSIDERS.filter(({ id, payment_provider }) => [id, payment_provider.id].includes(me.id));

/** The MIDs in an outsider's list of branches, oldest first. */
export const midsOf = (me: Acquirer): string[] => sharedBy(me).flatMap(({ mid, otherMid }) => [mid, otherMid]);

/** The events that an outsider sees, oldest first. */
export const eventsOf = (me: Acquirer) =>
  [
    ...sharedBy(me).flatMap(({ mid, otherMid, ...owner }) =>
      [
        ['branch.created', mid],
        ['branch.created', otherMid],
        ['terminals.created', mid],
        ['terminals.created', mid],
        ['terminal.archived', mid],
      ].map((event) => [...event, owner.id]),
    ),
    ...(isPartner(me)
      ? [
          ['terminals.created', `${CHARLIE}MID1`, me.id],
          ['terminal.left', `${CHARLIE}MID1`, PROVIDER.id],
        ]
      : []),
  ].map(([type, mid, author]) => ({
    type,
    branch: { mid, status: 'active' },
    changes: null,
    by: {
      acquirer: author,
      key_id: author === me.id ? expect.stringMatching(/^[\da-f]{12}$/) : null,
      key_label: author === me.id ? OWN_LABEL : null,
    },
  }));

/** The items of each lookup for an outsider. */
export function lookupsOf(me: Outsider) {
  const named = (type: AcquirerType) =>
    (me.type === type ? [me] : me.partners).map(({ id, name }) => ({ key: id, text: name }));
  const only = (name: string) => [{ key: name, text: name }];
  return {
    paymentProviders: named('PAYMENT_PROVIDER'),
    distributors: named('DISTRIBUTOR'),
    acquirers: only(me.acquirer_name),
    paymentApp: only(me.payment_app),
    masterMerchants: sharedBy(me).flatMap(({ masterMerchants }) =>
      masterMerchants.map(({ id, uuid }) => ({ key: uuid, text: id })),
    ),
  };
}

/** The provider as a caller. */
export const provider: Caller = { ...PROVIDER, key: '' };
/** All texts that are stored for the hidden acquirers and their resources. No outsider may learn any of them. */
export const secrets = new Set<string>();
/** The table as every request finds it. */
export let original: Awaited<ReturnType<typeof stored>>;

/** Builds the world. Invalid keys are never used before they become so, which leaves them out of the cache. */
export async function build(): Promise<void> {
  FEED.horizonMs = 0;
  provider.key = await register(PROVIDER, HIDDEN);
  await register(DISTRIBUTOR, { payment_app: 'Hidden Counter', acquirer_name: 'Hidden Union' });
  WAS_DISABLED.key = await register(DISABLED, { payment_app: 'Hidden Till', acquirer_name: 'Hidden Trust' });
  for (const { id } of [DISTRIBUTOR, DISABLED]) await linkPartners(id, PROVIDER.id);
  await hide();
  const items = await stored();
  const events = Object.values(eventsIn(items)).flat();
  const ids = events.map(({ id, request_id }) => [id, request_id]);
  for (const text of textsIn([Object.values(items), ids, HIDDEN.deleted])) secrets.add(text);

  await Promise.all(
    OUTSIDERS.map(async (me) => {
      me.key = await register(me, me, OWN_LABEL);
    }),
  );
  for (const me of OUTSIDERS) {
    for (const { id } of me.partners)
      await (me.type === 'DISTRIBUTOR' ? linkPartners(me.id, id) : linkPartners(id, me.id));
    await settle(me, me, me.names);
  }

  const [partner] = OUTSIDERS.filter(isPartner) as [Outsider];
  const { tid } = await newTerminal(partner, partner.mid, { terminal_id: GONE.terminal_id });
  await succeed('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid: HIDDEN.mid } });

  for (const [member, card] of Object.entries({ anna: CARD, bruno: OTHER_CARD })) {
    await addCard(member, card);
    await addReward(member, REWARD);
  }

  await disableAcquirer(DISABLED.id);
  const issue = async (me: Outsider) => {
    const { key_id, api_key } = await issueApiKey(PROVIDER.id, 'hidden key');
    me.key = api_key;
    return key_id;
  };
  await revokeApiKey(PROVIDER.id, await issue(REVOKED));
  await rotateApiKey(PROVIDER.id, await issue(EXPIRED), 1);
  await sleep(2);
  original = await stored();
}

/** Registers an acquirer with names that only it has, and returns its API key. */
async function register(
  { id, type, name }: Acquirer,
  names: Pick<Resources, 'payment_app' | 'acquirer_name'>,
  label = 'hidden key',
) {
  await createAcquirer({ id, type, name });
  await addNames({ id, type, name }, { paymentApps: [names.payment_app], masterAcquirers: [names.acquirer_name] });
  return (await issueApiKey(id, label)).api_key;
}

/** Creates the resources of an acquirer. */
async function settle(
  caller: Caller,
  resources: Resources,
  ofBranches: object,
  { terminal_model, reason }: { terminal_model: string; reason: string } = {
    terminal_model: 'Desk 1',
    reason: 'Repair',
  },
): Promise<void> {
  const { mid, otherMid, terminal_id, serial_no, archived, payment_app, acquirer_name } = resources;
  for (const [at, each] of [mid, otherMid].entries())
    await newBranch(caller, { mid: each, master_merchant_id: resources.masterMerchants[at]?.id, ...ofBranches });
  const names = { terminal_model, payment_app, acquirer_name };
  await newTerminal(caller, mid, { terminal_id, serial_no, ...names });
  await newTerminal(caller, mid, { terminal_id: archived.terminal_id, serial_no: archived.serial_no, ...names });
  await succeed('archiveTerminal', { key: caller.key, path: { id: archived.tid }, body: { reason } });
}

async function hide(): Promise<void> {
  const { texts, past, deleted } = HIDDEN;
  await settle(provider, HIDDEN, { distributor: DISTRIBUTOR.id, ...texts }, HIDDEN);
  await newBranch(provider, { mid: past.mid, distributor: DISABLED.id, master_merchant_id: 'HIDDENMM3' });
  await newTerminal(provider, past.mid, { terminal_id: past.terminal_id });
  await archiveBranch(provider, past.mid);
  await newTerminal(provider, HIDDEN.mid, { terminal_id: deleted.terminal_id });
  await succeed('deleteTerminal', { key: provider.key, path: { id: deleted.tid } });
  for (const [operation, request] of Object.entries(KEYED))
    await succeed(operation as Operation, { key: provider.key, ...request });
}

async function succeed(operation: Operation, request: Request): Promise<void> {
  const { status, body } = await call(operation, request);
  if (status !== STATUSES[operation][0]) throw new Error(`${operation} did not succeed: ${JSON.stringify(body)}`);
}

/** All texts in a value, except times and texts so short that they can be anywhere. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' && value.length > 4 && !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? [value] : [];
}
