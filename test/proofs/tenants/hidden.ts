import { beforehand, requestOf, type Subject, subjectOf } from '../../../infra/publish/contract/calls.ts';
import type { Acquirer, AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { masterMerchantUuidOf, tidOf } from '../../../lib/table/keys.ts';
import { newSecret, sealSecret } from '../../../lib/webhooks/secret.ts';
import type { Request } from '../../support/api.ts';
import '../../../infra/local/patient.ts';
import { personOf } from '../../support/people.ts';
import { storeRefused } from '../../support/refusedRequests.ts';
import { acceptAllPosts, FREE_TEXTS } from '../../support/requests.ts';
import { eventsIn, stored } from '../../support/stored.ts';
import { storeWebhook } from '../../support/webhooks.ts';
import { addNames, newBranch, newTerminal } from '../../support/world.ts';
import { succeed } from '../bounds/bounds.ts';

/*
 * A small world with fixed names, because the file has a table of its own. A provider and a distributor have branches
 * that are hidden from everyone else. Outsiders, who are as close to them as can be, try to access these.
 */

const acquirer = (id: string, type: AcquirerType, name: string): Acquirer => ({ id, type, name });

export const PROVIDER = acquirer('19f7abe0-fe71-406c-bbde-6d21af8693e0', 'PAYMENT_PROVIDER', 'Hidden Payments');
export const DISTRIBUTOR = acquirer('4ba84bf5-4523-47fc-80f6-695cbd4dab35', 'DISTRIBUTOR', 'Hidden Gate');

const ANOTHER_PROVIDER = acquirer('ab71cda0-2aee-430b-8c60-bc414ed7602b', 'PAYMENT_PROVIDER', 'Trustcard');
const ANOTHER_DISTRIBUTOR = acquirer('71e0c0bd-12f5-46c4-9373-b4a5e0f918d0', 'DISTRIBUTOR', 'Silverline');
/** A distributor of the provider, on branches of its own. */
const PARTNER = acquirer('dd58e8e8-7d14-419e-a846-6540302f1c0f', 'DISTRIBUTOR', 'Northgate');
/** A provider with the same distributor as the hidden one. */
const NEIGHBOUR = acquirer('a72e28be-6e96-42cf-ba48-fc51e7d3b025', 'PAYMENT_PROVIDER', 'Quickpay');

const terminalOf = (terminal_id: string) => ({ terminal_id, tid: tidOf(terminal_id) });

/** An acquirer's branches and terminals, with ids that contain its tag. Its second terminal is archived. */
const resourcesOf = (tag: string, me: Acquirer, partner?: Acquirer) => {
  const subject: Subject = {
    ...subjectOf(tag, { ...me, partner: partner?.id }),
    payment_app: `${tag} App`,
    acquirer_name: `${tag} Bank`,
    webhook: tidOf(`WEBHOOK${tag}`),
    refused: tidOf(`REFUSED${tag}`),
  };
  const { provider, master_merchant_id, terminal_id } = subject;
  return {
    subject,
    tid: tidOf(terminal_id),
    archived: { ...terminalOf(`V${tag}`), serial_no: `Q${tag}` },
    master_merchant: { id: master_merchant_id, uuid: masterMerchantUuidOf(provider, master_merchant_id) },
  };
};
type Resources = ReturnType<typeof resourcesOf>;

const HIDDEN_RESOURCES = resourcesOf('HIDDEN', PROVIDER, DISTRIBUTOR);

export const HIDDEN = {
  ...HIDDEN_RESOURCES.subject,
  ...HIDDEN_RESOURCES,
  /** Texts of the first two branches and their terminals, by field. */
  texts: {
    ...Object.fromEntries(FREE_TEXTS.map((name) => [name, `Hidden ${name}`])),
    email: 'office@hidden.example',
    phone: '+351 22 000 815',
    mcc: '5812',
    url: 'https://hooks.hidden.example/events',
  } as Record<string, string>,
  /** An archived branch and its terminal. */
  past: { mid: 'HIDDENMID3', ...terminalOf('HIDDENT3') },
  /** A branch of the provider alone, and its terminal. */
  alone: { mid: 'b9591444-4909-4a7f-9cd4-e9bac598e44b', ...terminalOf('HIDDENT4') },
  deleted: terminalOf('HIDDENT6'),
};

/** The id of the API key in a refused request of the provider. */
export const REFUSED_KEY = '5ec7e75ec7e7';

/** A terminal that the provider has moved from a branch of its partner to the hidden one. */
export const GONE = terminalOf('CHARLIET3');

/** A request of the provider that was sent with an Idempotency-Key. */
export const KEYED = {
  headers: { 'idempotency-key': 'hidden-key-1' },
  path: { id: HIDDEN.alone.mid },
  body: { terminals: [{ terminal_id: HIDDEN.alone.terminal_id }] },
};

/** Cards belong to no acquirer: anyone who is shown a card may check it. */
export const OTHER_CARD = { card_id: 'card-bruno', card_pseudo_token: 'token-bruno' };

/** An acquirer that tries to access what is hidden, with its own resources. */
export interface Outsider extends Acquirer, Resources {
  /** Its name in test titles. */
  who: string;
  partners: Acquirer[];
  /** Its API key, once the world is built. */
  key: string;
  /** The session of its admin, who is an admin of the hidden provider too. */
  session: { cookie: string; actingAs: string };
}

const outsider = (
  who: string,
  tag: string,
  me: Acquirer,
  other?: Acquirer,
  partners = other ? [other] : [],
): Outsider => ({
  ...me,
  ...resourcesOf(tag, me, other),
  who,
  partners,
  key: '',
  session: { cookie: '', actingAs: me.id },
});

/** Acquirers with a valid key that have no part in the hidden branches. */
export const OUTSIDERS = [
  outsider('another provider', 'ALFA', ANOTHER_PROVIDER, undefined, [ANOTHER_DISTRIBUTOR]),
  outsider('a distributor that is no partner', 'BRAVO', ANOTHER_DISTRIBUTOR, ANOTHER_PROVIDER),
  outsider('a distributor that acts for the provider, but not for the branch', 'CHARLIE', PARTNER, PROVIDER),
  outsider("another provider of the branch's distributor", 'DELTA', NEIGHBOUR, DISTRIBUTOR),
];

export const isPartner = ({ id }: Acquirer): boolean => id === PARTNER.id;
export const isNeighbour = ({ id }: Acquirer): boolean => id === NEIGHBOUR.id;

/** The provider as a caller. */
export const provider = { ...PROVIDER, key: '' };
/** All texts that are stored for the hidden acquirers and their resources. No outsider may learn any of them. */
export const secrets = new Set<string>();
/** The items of the hidden acquirers. No outsider may change any of them. */
export let hiddenItems: string[];

/** Builds the world. */
export async function build(): Promise<void> {
  FEED.horizonMs = 0;
  acceptAllPosts();
  provider.key = await register(PROVIDER, HIDDEN);
  await register(DISTRIBUTOR, { payment_app: 'Hidden Counter', acquirer_name: 'Hidden Union' });
  await linkPartners(DISTRIBUTOR.id, PROVIDER.id);
  await hide();
  const items = await stored();
  hiddenItems = Object.keys(items);
  const events = Object.values(eventsIn(items)).flat();
  const ids = events.map(({ id, request_id }) => [id, request_id]);
  // Of a webhook or a refused request, other texts are those of every one.
  const ofOthers = Object.entries(items).flatMap(([key, item]) =>
    /^(WEBHOOKS|REFUSED_REQUESTS)#/.test(key) ? [] : [item],
  );
  const { url, description } = HIDDEN.texts;
  const hidden = [ofOthers, ids, HIDDEN.deleted, HIDDEN.webhook, url, description, HIDDEN.refused, REFUSED_KEY];
  for (const text of textsIn(hidden)) secrets.add(text);

  for (const me of OUTSIDERS) me.key = await register(me, me.subject, 'production');
  for (const me of OUTSIDERS) {
    for (const { id } of me.partners)
      await (me.type === 'DISTRIBUTOR' ? linkPartners(me.id, id) : linkPartners(id, me.id));
    await settle(me.key, me, { master_merchant_name: me.master_merchant.id, terminal_model: 'Desk 1' });
  }

  for (const me of OUTSIDERS) {
    await addWebhook(me, me.subject.webhook, 'https://hooks.example.com/events');
    await storeRefused(me, 1, () => ({ refused_request_id: me.subject.refused }));
  }

  for (const { key, subject } of OUTSIDERS)
    for (const operation of ['createBranch', 'archiveBranch'] as const)
      await succeed(operation, { key, ...requestOf(operation, pastOf(subject)) });

  const [partner] = OUTSIDERS.filter(isPartner) as [Outsider];
  await newTerminal(partner, partner.subject.mid, { terminal_id: GONE.terminal_id });
  await succeed('reassignTerminal', { key: provider.key, path: { id: GONE.tid }, body: { mid: HIDDEN.mid } });

  for (const me of OUTSIDERS) {
    const { identity, session } = await personOf(me.id, 'admin');
    await personOf(PROVIDER.id, 'admin', { identity });
    me.session = session;
  }

  await addCard('anna', HIDDEN.card);
  await addCard('bruno', OTHER_CARD);
}

/** The subject of an archived branch of an outsider. */
export const pastOf = ({ mid, master_merchant_id, terminal_id, serial_no, ...subject }: Subject): Subject => ({
  ...subject,
  mid: `${mid}PAST`,
  master_merchant_id: `${master_merchant_id}PAST`,
  terminal_id: `${terminal_id}PAST`,
  serial_no: `${serial_no}PAST`,
});

/** Registers an acquirer with names that only it has, and returns its API key. */
async function register(
  { id, type, name }: Acquirer,
  names: Pick<Subject, 'payment_app' | 'acquirer_name'>,
  label = 'hidden key',
) {
  await createAcquirer({ id, type, name });
  await addNames({ id, type, name }, { paymentApps: [names.payment_app], masterAcquirers: [names.acquirer_name] });
  return (await issueApiKey(id, label)).api_key;
}

/** Creates the resources of an acquirer. Fields that `texts` names have these texts. */
async function settle(
  key: string,
  { subject, archived }: Resources,
  texts: Record<string, string> = {},
): Promise<void> {
  const withTexts = (request: Request): Request =>
    JSON.parse(JSON.stringify(request), (name, value) => texts[name] ?? value);
  for (const [operation, about] of [
    ...beforehand('reassignTerminal', subject),
    ['createTerminals', { ...subject, added: archived }] as const,
    ['archiveTerminal', { ...subject, terminal_id: archived.terminal_id }] as const,
  ])
    await succeed(operation, { key, ...withTexts(requestOf(operation, about)) });
}

/** Stores a webhook with an id that is known. */
async function addWebhook(of: Acquirer, id: string, url: string, description?: string): Promise<void> {
  const secrets = [{ sealed: await sealSecret(newSecret(), id) }];
  await storeWebhook(of, url, { id, secrets, ...(description && { description }) });
}

async function hide(): Promise<void> {
  const { mid, texts, past, alone, deleted } = HIDDEN;
  await settle(provider.key, HIDDEN, texts);
  await newBranch(provider, { mid: past.mid, distributor: DISTRIBUTOR.id, master_merchant_id: 'HIDDENMM3' });
  await newTerminal(provider, past.mid, { terminal_id: past.terminal_id });
  await succeed('archiveBranch', { key: provider.key, path: { mid: past.mid } });
  await newTerminal(provider, mid, { terminal_id: deleted.terminal_id });
  await succeed('deleteTerminal', { key: provider.key, path: { id: deleted.tid } });
  await newBranch(provider, { mid: alone.mid, master_merchant_id: 'HIDDENMM4' });
  await succeed('createTerminals', { key: provider.key, ...KEYED });
  await addWebhook(PROVIDER, HIDDEN.webhook, texts['url'] as string, texts['description']);
  const about = { refused_request_id: HIDDEN.refused, mid, key_id: REFUSED_KEY, key_label: 'hidden key' };
  await storeRefused(PROVIDER, 1, () => ({
    ...about,
    operation: 'archiveBranch',
    status: 400,
    code: 'already_archived',
  }));
}

/** All texts in a value, except times and texts so short that they can be anywhere. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' && value.length > 4 && !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? [value] : [];
}
