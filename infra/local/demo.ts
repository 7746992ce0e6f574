import { randomUUID } from 'node:crypto';
import type { Acquirer, AcquirerType } from '../../lib/acquirers/acquirer.ts';
import { type IssuedKey, issueApiKey, listApiKeys, revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { recordKeyUse } from '../../lib/acquirers/keyUse.ts';
import { createAcquirer, listAcquirers } from '../../lib/acquirers/registry.ts';
import { setting } from '../../lib/base/config.ts';
import { decideArchiveBranch } from '../../lib/branches/archiveOrRestoreBranch.ts';
import { decideArchiveTerminal } from '../../lib/branches/archiveOrRestoreTerminal.ts';
import { findBranch } from '../../lib/branches/branch.ts';
import { decideCreateBranch } from '../../lib/branches/createBranch.ts';
import { commit, type Decision } from '../../lib/events/decision.ts';
import type { Reward } from '../../lib/members/member.ts';
import { addCard, addReward } from '../../lib/operator/memberImport.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { signIn } from '../../lib/people/admission.ts';
import { invitePerson, listPeople, removePerson } from '../../lib/people/people.ts';
import { hashOfIdentity } from '../../lib/people/person.ts';
import { actAs } from '../../lib/record/operator.ts';
import { getItem } from '../../lib/table/client.ts';
import { identityKey, tidOf } from '../../lib/table/keys.ts';
import './patient.ts';
import { DEMO_PEOPLE, type DemoPerson } from './people.ts';

/** The part of `.local/demo.json` that describes the demo data. */
export interface Demo {
  acquirers: (Acquirer & {
    api_key: string;
    partners: string[];
    payment_apps: string[];
    master_acquirers: string[];
  })[];
  members: { card_id: string; card_pseudo_token: string; currency: string }[];
}

const acquirer = (type: AcquirerType, number: number, name: string): Acquirer => ({
  id: `${type === 'DISTRIBUTOR' ? 'd' : 'b'}0000000-0000-4000-8000-00000000000${number}`,
  type,
  name,
});
const northgate = acquirer('DISTRIBUTOR', 1, 'Northgate Distribution');
const silverline = acquirer('DISTRIBUTOR', 2, 'Silverline Terminals');
const payfair = acquirer('PAYMENT_PROVIDER', 1, 'Payfair');
const quickpay = acquirer('PAYMENT_PROVIDER', 2, 'Quickpay');
const trustcard = acquirer('PAYMENT_PROVIDER', 3, 'Trustcard');

const ACQUIRERS = [northgate, silverline, payfair, quickpay, trustcard];
/** Trustcard is not a partner of Northgate. */
const PARTNERSHIPS: [distributor: Acquirer, provider: Acquirer][] = [
  [northgate, payfair],
  [northgate, quickpay],
  [silverline, payfair],
  [silverline, trustcard],
];
const PAYMENT_APPS = ['Checkout Go', 'Counter Plus'];
const MASTER_ACQUIRERS = ['Atlantic Acquiring', 'Baltic Merchant Bank'];

/** Branches of payment providers. With a distributor, every second branch is shared with it. */
const BRANCHES: { provider: Acquirer; distributor?: Acquirer; prefix: string; count: number }[] = [
  { provider: payfair, distributor: northgate, prefix: 'DEMO', count: 25 },
  { provider: quickpay, prefix: 'QUICK', count: 13 },
  { provider: trustcard, distributor: silverline, prefix: 'TRUST', count: 13 },
];

/** What is archived, and can be restored. */
const ARCHIVED_BRANCHES = ['DEMOMID021', 'DEMOMID022', 'QUICKMID009', 'TRUSTMID009', 'TRUSTMID010'];
const ARCHIVED_TERMINALS = ['DEMOTERM0141', 'DEMOTERM0171', 'QUICKTERM0051', 'TRUSTTERM0021', 'TRUSTTERM0051'];

const CITIES = ['Lisbon', 'Porto', 'Braga', 'Coimbra', 'Faro'];
const BUSINESSES = ['Blue Harbour Cafés', 'Casa Verde', 'Delfim & Filhos', 'Estrela Books', 'Figueira Bakery'];

const DEMO_LABEL = 'demo';
const MAX_EARLIER_KEYS = 4;

const ALWAYS = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2099-12-31T23:59:59.999Z' };
const ENDED = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2021-01-01T00:00:00.000Z' };
type DemoReward = [reward_id: string, name: string, currency: string, minimum_amount: number, valid: typeof ALWAYS];
const MEMBERS: { id: string; currency: string; cards: string[]; rewards: DemoReward[] }[] = [
  {
    id: 'demo-member-anna',
    currency: 'EUR',
    cards: ['demo-card-anna-1', 'demo-card-anna-2'],
    rewards: [
      ['welcome-5', '5 EUR off from 50 EUR', 'EUR', 50, ALWAYS],
      ['summer-2020', '10 EUR off, summer of 2020', 'EUR', 0, ENDED],
      ['usd-10', '10 USD off from 100 USD', 'USD', 100, ALWAYS],
    ],
  },
  {
    id: 'demo-member-bruno',
    currency: 'USD',
    cards: ['demo-card-bruno-1', 'demo-card-bruno-2', 'demo-card-bruno-3'],
    rewards: [['gold-500', '500 USD off from 100,000 USD', 'USD', 100_000, ALWAYS]],
  },
  { id: 'demo-member-carla', currency: 'EUR', cards: ['demo-card-carla-1', 'demo-card-carla-2'], rewards: [] },
];
const cardOf = (card_id: string) => ({ card_id, card_pseudo_token: card_id.replace('card', 'token') });

/**
 * Stores missing demo data. Issues another API key for each demo acquirer, because earlier ones cannot be shown again.
 */
export async function loadDemo(): Promise<Demo> {
  actAs(async () => 'demo');
  const registered = new Set((await listAcquirers()).map(({ id }) => id));
  await Promise.all(ACQUIRERS.filter(({ id }) => !registered.has(id)).map(createAcquirer));
  await Promise.all(PARTNERSHIPS.map(([distributor, provider]) => linkPartners(distributor.id, provider.id)));
  await Promise.all(ACQUIRERS.map(({ id }) => addReferenceData(id, 'PAYMENT_APPS', PAYMENT_APPS)));
  await Promise.all(ACQUIRERS.map(({ id }) => addReferenceData(id, 'MASTER_ACQUIRERS', MASTER_ACQUIRERS)));
  const keys = new Map(await Promise.all(ACQUIRERS.map(issueDemoKey)));
  const keyOf = ({ id }: Acquirer) => keys.get(id) as IssuedKey;
  await Promise.all(BRANCHES.map((branches) => loadBranches(branches, keyOf(branches.provider))));
  await Promise.all(MEMBERS.map(loadMember));
  // One after another, because changes of an acquirer's people are serialised.
  for (const person of DEMO_PEOPLE) await loadPerson(person);
  const members = MEMBERS.map(({ currency, cards: [card_id = ''] }) => ({ ...cardOf(card_id), currency }));
  return {
    acquirers: ACQUIRERS.map((acquirer) => ({
      ...acquirer,
      api_key: keyOf(acquirer).api_key,
      partners: PARTNERSHIPS.filter((pair) => pair.includes(acquirer)).flatMap((pair) =>
        pair.filter((partner) => partner !== acquirer).map(({ id }) => id),
      ),
      payment_apps: PAYMENT_APPS,
      master_acquirers: MASTER_ACQUIRERS,
    })),
    members,
  };
}

/** Issues another key, and revokes all but the last keys of earlier starts on the same data. */
async function issueDemoKey({ id }: Acquirer): Promise<[acquirer: string, key: IssuedKey]> {
  const earlier = (await listApiKeys(id)).filter(({ label }) => label === DEMO_LABEL);
  for (const { key_id } of earlier.slice(0, -MAX_EARLIER_KEYS)) await revokeApiKey(id, key_id);
  return [id, await issueApiKey(id, DEMO_LABEL)];
}

/** Creates a provider's branches of five businesses, city by city. */
async function loadBranches(
  { provider, distributor, prefix, count }: (typeof BRANCHES)[number],
  { key_id, label }: IssuedKey,
): Promise<void> {
  await recordKeyUse(key_id);
  for (let number = 1; number <= count; number += 1) {
    const padded = String(number).padStart(3, '0');
    const mid = `${prefix}MID${padded}`;
    if (await findBranch(mid)) continue;
    const at = (number - 1) % BUSINESSES.length;
    const business = BUSINESSES[at] as string;
    const city = CITIES[Math.floor((number - 1) / CITIES.length)] as string;
    const master_merchant_id = `${prefix}BUSINESS${at + 1}`;
    const author = { acquirer: provider, key_id, label, request_id: randomUUID() };
    const input = {
      mid,
      details: { merchant_name: `${business} ${city}`, area: 'Centre', city },
      payment_provider: provider.id,
      ...(distributor && number % 2 === 0 && { distributor: distributor.id }),
      master_merchant: { master_merchant_id, name: business, country_code: 'PT', country: 'Portugal', mcc: '5812' },
    };
    const terminals = Array.from({ length: 1 + (number % 3) }, (_, place) => ({
      terminal_id: `${prefix}TERM${padded}${place + 1}`,
      serial_no: `${prefix}SN${padded}${place + 1}`,
      terminal_model: place === 0 ? 'Countertop 3' : 'Handheld 2',
      payment_app: PAYMENT_APPS[place % 2],
      acquirer_name: MASTER_ACQUIRERS[number % 2],
    }));
    const make = async ({ change }: Decision<unknown>) => commit(author, {}, change);
    await make(await decideCreateBranch(author, { ...input, terminals }));
    if (ARCHIVED_BRANCHES.includes(mid)) await make(await decideArchiveBranch(provider, mid, {}));
    for (const { terminal_id } of terminals.filter((each) => ARCHIVED_TERMINALS.includes(each.terminal_id)))
      await make(await decideArchiveTerminal(provider, tidOf(terminal_id), 'Sent to repair', {}));
  }
}

/**
 * Makes a person one of the people of their acquirers, as by accepting invitations. With another issuer than that of an
 * earlier start on the same data, this replaces the person of that start.
 */
async function loadPerson({ subject, name, email, memberships }: DemoPerson): Promise<void> {
  const identity = { issuer: setting('ISSUER'), subject, name, email, isEmailVerified: true };
  for (const [acquirer, role] of memberships) {
    const { id } = ACQUIRERS.find((each) => each.name === acquirer) as Acquirer;
    const earlier = (await listPeople(id)).people.find((each) => each.email === email);
    const bound = await getItem<{ person: string }>(identityKey(hashOfIdentity(identity)));
    if (earlier && earlier.id === bound?.person && earlier.role === role) continue;
    if (earlier) await removePerson(id, earlier.id);
    const { link } = await invitePerson(id, { email, role });
    await signIn(identity, { invitation: link.split('invitation=')[1], authTime: 0, earlier: undefined });
  }
}

async function loadMember({ id, cards, rewards }: (typeof MEMBERS)[number]): Promise<void> {
  for (const card_id of cards) await addCard(id, cardOf(card_id));
  for (const [reward_id, name, currency, minimum_amount, valid] of rewards)
    await addReward(id, { reward_id, name, currency, minimum_amount, ...valid } satisfies Reward);
}
