import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../lib/acquirers/keyring.ts';
import { createAcquirer, listAcquirers } from '../../lib/acquirers/registry.ts';
import { KEY_ROLES, type PersonRole } from '../../lib/acquirers/roles.ts';
import { Problem } from '../../lib/base/problem.ts';
import { findBranch } from '../../lib/branches/branch.ts';
import { searchablesOf } from '../../lib/branches/branchWords.ts';
import { type MasterMerchant, searchableMasterMerchant } from '../../lib/branches/masterMerchant.ts';
import { type CardIdentifiers, memberHashes } from '../../lib/members/member.ts';
import { disableAcquirer, enableAcquirer, limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { addCard, addReward } from '../../lib/operator/memberImport.ts';
import { eraseMember } from '../../lib/operator/members.ts';
import { linkPartners } from '../../lib/operator/partnerships.ts';
import { addReferenceData } from '../../lib/operator/referenceData.ts';
import { invitePerson, listPeople, removePerson, revokeInvitation } from '../../lib/people/people.ts';
import type { Identity } from '../../lib/people/person.ts';
import { signIn } from '../../lib/people/signIn.ts';
import { getItem } from '../../lib/table/client.ts';
import { branchListKey, longUuid, masterMerchantKey, unindexedWordsKey } from '../../lib/table/keys.ts';
import { put, transact } from '../../lib/table/transaction.ts';
import { explain } from '../admin/explain.ts';
import type { Parties, Party, PersonSession } from './acquirers.ts';
import { ACQUIRERS, LABEL, MASTER_ACQUIRER, MEMBER, PARTNERSHIPS, PAYMENT_APP } from './acquirers.ts';
import { Skipped } from './failure.ts';

/*
 * What a run does as an operator, with the functions of the operator's tool: see `actAs` in lib/record/operator.ts.
 */

const NAMES = Object.keys(ACQUIRERS) as (keyof typeof ACQUIRERS)[];

/** Roles of keys that only the provider needs. */
const OTHER_ROLES = KEY_ROLES.filter((role) => role !== 'full');

/** The identity of one of the people of a run. Nobody can sign in with it: there is no such issuer. */
const identityOf = (role: string): Identity & { email: string } => ({
  issuer: 'https://verification.invalid',
  subject: role,
  email: `${role}@verification.invalid`,
  isEmailVerified: true,
  name: `Verification ${role}`,
});

/** The operator of a run. */
export class Operator {
  readonly #sessions = new Map<string, Promise<PersonSession>>();

  /**
   * Enables the acquirers, or registers them, and gives them new API keys. Removes what an interrupted run has left of keys,
   * people and members.
   */
  async open(): Promise<Parties> {
    const registered = new Set((await listAcquirers()).map(({ id }) => id));
    const entries = await Promise.all(
      NAMES.map(async (name): Promise<[string, Party]> => {
        const { limit, ...acquirer } = { limit: undefined, ...ACQUIRERS[name] };
        await (registered.has(acquirer.id) ? enableAcquirer(acquirer.id) : createAcquirer(acquirer));
        await this.#removeAccess(acquirer.id);
        await limitAcquirer(acquirer.id, limit);
        await addReferenceData(acquirer.id, 'PAYMENT_APPS', [PAYMENT_APP]);
        await addReferenceData(acquirer.id, 'MASTER_ACQUIRERS', [MASTER_ACQUIRER]);
        const keys: Party['keys'] = { full: (await issueApiKey(acquirer.id, LABEL)).api_key };
        for (const role of name === 'provider' ? OTHER_ROLES : [])
          keys[role] = (await issueApiKey(acquirer.id, LABEL, { role })).api_key;
        return [name, { ...acquirer, keys }];
      }),
    );
    for (const [distributor, provider] of PARTNERSHIPS)
      await linkPartners(ACQUIRERS[distributor].id, ACQUIRERS[provider].id);
    return Object.fromEntries(entries) as unknown as Parties;
  }

  /** Revokes all keys, removes all people and the member, and disables the acquirers. */
  async close(): Promise<void> {
    await this.removeMember();
    await Promise.all(
      NAMES.map(async (name) => {
        await this.#removeAccess(ACQUIRERS[name].id);
        await disableAcquirer(ACQUIRERS[name].id);
      }),
    );
  }

  async #removeAccess(id: string): Promise<void> {
    const { people, invitations } = await listPeople(id);
    for (const person of people) await removePerson(id, person.id);
    for (const invitation of invitations) await revokeInvitation(id, invitation.id).catch(unlessGone);
    for (const { key_id } of await listApiKeys(id)) await revokeApiKey(id, key_id).catch(unlessGone);
  }

  /**
   * A session of one of the provider's people, who is invited and signed in the first time, and acts as the provider.
   *
   * @param options.subject Distinguishes people with the same role.
   * @param options.isNew Whether it must be a session that nothing else uses.
   */
  async session(role: PersonRole, { subject = role as string, isNew = false } = {}): Promise<PersonSession> {
    const identity = identityOf(subject);
    const { id } = ACQUIRERS.provider;
    const enter = async (invitation?: string): Promise<PersonSession> => ({
      cookie: await signIn(identity, { invitation, authTime: Math.floor(Date.now() / 1000), earlier: undefined }),
      actingAs: id,
    });
    const joined = this.#sessions.get(subject) ?? this.invite(identity.email, role).then(enter);
    this.#sessions.set(subject, joined);
    const session = await joined;
    return isNew ? enter() : session;
  }

  /** Invites a person to an acquirer. Returns the invitation of the link. */
  async invite(email: string, role: PersonRole, to: keyof typeof ACQUIRERS = 'provider'): Promise<string> {
    const { link } = await invitePerson(ACQUIRERS[to].id, { email, role });
    return link.split('invitation=')[1] as string;
  }

  /** Makes one of the provider's people, by the `subject` of their session, one of the people of another acquirer too. */
  async join(subject: string, acquirer: keyof typeof ACQUIRERS): Promise<void> {
    const identity = identityOf(subject);
    const invitation = await this.invite(identity.email, 'viewer', acquirer);
    await signIn(identity, { invitation, authTime: 0, earlier: undefined });
  }

  /** Leaves an API key of the provider that has expired, which the next change of its keys removes. */
  async expiredKey(): Promise<void> {
    const { key_id } = await issueApiKey(ACQUIRERS.provider.id, LABEL);
    await rotateApiKey(ACQUIRERS.provider.id, key_id, 1);
    await new Promise((done) => setTimeout(done, 5));
  }

  /** Removes the people of an acquirer with an address. */
  async removePeople(email: string): Promise<void> {
    for (const name of NAMES)
      for (const person of (await listPeople(ACQUIRERS[name].id)).people)
        if (person.email === email) await removePerson(ACQUIRERS[name].id, person.id);
  }

  /** How many branches of an acquirer's list are ranked: see lib/branches/ranks.ts. */
  async ranked({ id }: Party): Promise<number> {
    return (await getItem<{ count: number }>(branchListKey(id)))?.count ?? 0;
  }

  /**
   * Marks a branch as one whose search entries for the provider are still to be stored, until the provider searches. They are
   * stored, so nothing is missing meanwhile.
   */
  async unindexBranch(mid: string): Promise<void> {
    const branch = await findBranch(mid);
    const own = (branch ? searchablesOf(branch) : []).filter(({ acquirer }) => acquirer === ACQUIRERS.provider.id);
    await transact(
      own.map(({ acquirer, attributes }) => put(unindexedWordsKey('BRANCHES', acquirer, mid), attributes)),
    );
  }

  /** Like {@link unindexBranch}, for a master merchant in the lookup of its payment provider. */
  async unindexMasterMerchant(uuid: string): Promise<void> {
    const stored = await getItem<MasterMerchant>(masterMerchantKey(uuid));
    if (!stored) return;
    const { attributes } = searchableMasterMerchant(stored, stored.payment_provider);
    await transact([put(unindexedWordsKey('MASTER_MERCHANTS', stored.payment_provider, uuid), attributes)]);
  }

  /** Adds a member with a reward. || @throws Skipped if the card key cannot be read. */
  async addMember(card: CardIdentifiers): Promise<void> {
    await memberHashes(MEMBER).catch((error) => {
      throw new Skipped(`the card key cannot be read: ${explain(error, 'secret')}`);
    });
    await addCard(MEMBER, card);
    const [valid_from, expires_at] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    await addReward(MEMBER, {
      reward_id: 'verification',
      name: 'Verification',
      currency: 'EUR',
      minimum_amount: 50,
      valid_from: valid_from as string,
      expires_at: expires_at as string,
    });
  }

  /** Erases the member, if there is one and the card key can be read. Without the key, no run can have added one. */
  async removeMember(): Promise<void> {
    const hasKey = await memberHashes(MEMBER).then(
      () => true,
      () => false,
    );
    if (hasKey) await eraseMember(MEMBER).catch(unlessGone);
  }
}

/** The person of a session. */
export const personIn = ({ cookie }: PersonSession): string => longUuid(cookie.slice(0, 22));

function unlessGone(error: unknown): void {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error;
}
