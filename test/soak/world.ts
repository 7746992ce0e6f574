import type { Demo } from '../../infra/local/demo.ts';
import type { Call } from './call.ts';
import type { Dice } from './dice.ts';

/** An acquirer of the demo data. */
export type Acquirer = Demo['acquirers'][number];

/** A branch that somebody was told of. Branches are never deleted and never change hands. */
export interface Branch {
  mid: string;
  provider: Acquirer;
  distributor: Acquirer | undefined;
  isArchived: boolean;
}

/** A terminal that somebody was told of, and where it was then. Others may have moved or deleted it since. */
export interface Terminal {
  tid: string;
  terminal_id: string;
  branch: Branch;
  isArchived: boolean;
  isDeleted: boolean;
}

/** A business (master merchant) of a payment provider. */
export interface Business {
  uuid: string;
  /** Its master_merchant_id, where an answer has shown that. */
  id?: string;
  provider: Acquirer;
}

const MOST_KNOWN = 60;
const LATEST = 6;
const TRIES = 8;

/** The latest that somebody was told of. However long a soak goes on, what is older is forgotten. */
class Pool<T> {
  readonly #items: T[] = [];
  #added = 0;

  add(item: T): void {
    this.#items[this.#added % MOST_KNOWN] = item;
    this.#added += 1;
  }

  /** One that suits, if a few tries find one; half of the time one of the very latest, so that callers meet at it. */
  pick(dice: Dice, suits: (item: T) => boolean = () => true): T | undefined {
    const { length } = this.#items;
    for (let tries = 0; tries < TRIES && length > 0; tries += 1) {
      const back = 1 + dice.below(dice.oneIn(2) ? Math.min(LATEST, length) : length);
      const item = this.#items[(this.#added - back) % MOST_KNOWN] as T;
      if (suits(item)) return item;
    }
    return undefined;
  }
}

/** What the scripts of one acquirer know. */
export class Knowledge {
  readonly branches = new Pool<Branch>();
  readonly terminals = new Pool<Terminal>();
  readonly businesses = new Pool<Business>();
  /** What was sent with an Idempotency-Key. */
  readonly keyed = new Pool<Call>();
  /** Calls of histories that go on from a cursor. */
  readonly histories = new Pool<Call>();
  /** Its place in its events, and the last page of them that was full. */
  cursor: string | undefined;
  page: { query: Record<string, string>; data: unknown } | undefined;
  keys = 0;
  /** How many branches its list has for certain, by the answers so far. */
  listed = 0;
  /** How many it can have at the most, by the requests so far. */
  asked = 0;
}

/** Whether a branch, and so what is under it, is accessible to an acquirer. */
export const isOwner = (acquirer: Acquirer, { provider, distributor }: Branch): boolean =>
  acquirer === provider || acquirer === distributor;

/** A MID of ours tells the places of its two acquirers in the demo data, from 1; 0 is no distributor. */
const OWNERS = /^(?:SOAK|50a00)(\d)(\d)/;
/** So does the name of a business of ours. */
const PROVIDER = /^Café (\d)/;
/** A lookup answers whole lists, so there are not as many businesses as branches. */
const MOST_BUSINESSES = 200;

/** Asks the API for a list. */
type List = (
  acquirer: Acquirer,
  path: string,
) => Promise<{
  data: { mid: string; key: string; tid: string; terminal_id: string; status: string }[];
  meta: { total: number };
}>;

/** All that the callers know, by which answers are judged. It does not grow with the time. */
export class World {
  readonly acquirers: Acquirer[];
  readonly members: Demo['members'];
  /** How many terminals there are, by the answers so far. */
  terminals = 0;
  readonly #knowledge: Map<Acquirer, Knowledge>;
  readonly #demoBranches = new Map<string, Branch>();
  readonly #demoBusinesses = new Map<string, Business>();
  readonly #wanted = new Map<string, string>();
  #names = 0;
  #businesses = 0;

  constructor({ acquirers, members }: Demo) {
    this.acquirers = acquirers;
    this.members = members;
    this.#knowledge = new Map(acquirers.map((each) => [each, new Knowledge()]));
  }

  /** Looks around in the demo data before anybody changes them. */
  async explore(list: List): Promise<void> {
    // Providers first: what a distributor sees is theirs.
    for (const acquirer of this.acquirers.toSorted((a, b) => b.type.localeCompare(a.type))) {
      const { data, meta } = await list(acquirer, '/ext/api/v1/merchants?per_page=100&sort=asc');
      Object.assign(this.of(acquirer), { listed: meta.total, asked: meta.total });
      for (const { mid } of data) {
        const known = this.#demoBranches.get(mid);
        if (known) known.distributor = acquirer;
        else this.#demoBranches.set(mid, { mid, provider: acquirer, distributor: undefined, isArchived: false });
      }
      for (const { key: uuid } of (await list(acquirer, '/ext/api/v1/lookup/masterMerchants')).data) {
        const business = this.#demoBusinesses.get(uuid) ?? { uuid, provider: acquirer };
        this.#demoBusinesses.set(uuid, business);
        this.of(acquirer).businesses.add(business);
      }
    }
    for (const branch of this.#demoBranches.values()) {
      this.learnBranch(branch);
      const { data } = await list(branch.provider, `/ext/api/v1/terminals/${branch.mid}?per_page=100`);
      this.learnNewTerminals(data, branch);
    }
  }

  of(acquirer: Acquirer): Knowledge {
    return this.#knowledge.get(acquirer) as Knowledge;
  }

  partners({ partners }: Acquirer): Acquirer[] {
    return this.acquirers.filter(({ id }) => partners.includes(id));
  }

  /** Those who know of a branch. */
  #ownersOf = ({ provider, distributor }: Branch): Knowledge[] =>
    [provider, distributor].flatMap((owner) => (owner ? [this.of(owner)] : []));

  learnBranch(branch: Branch): void {
    for (const owner of this.#ownersOf(branch)) owner.branches.add(branch);
  }

  learnTerminal(terminal: Terminal): void {
    for (const owner of this.#ownersOf(terminal.branch)) owner.terminals.add(terminal);
  }

  learnNewTerminals(created: { tid: string; terminal_id: string; status: string }[], branch: Branch): void {
    this.terminals += created.length;
    for (const { tid, terminal_id, status } of created)
      this.learnTerminal({ tid, terminal_id, branch, isArchived: status === 'archived', isDeleted: false });
  }

  /** A business becomes known to the distributor of its branch as well. */
  learnBusiness(uuid: string, id: string, branch: Branch): void {
    for (const owner of this.#ownersOf(branch)) owner.businesses.add({ uuid, id, provider: branch.provider });
  }

  /** Counts a branch in its owners' lists: when it is asked for, and when it is there. */
  count(branch: Branch, as: 'asked' | 'listed'): void {
    for (const owner of this.#ownersOf(branch)) owner[as] += 1;
  }

  /** Whether an answer may show a MID to an acquirer. */
  maySee(acquirer: Acquirer, mid: string): boolean {
    const branch = this.#demoBranches.get(mid);
    if (branch) return isOwner(acquirer, branch);
    const [, ...places] = OWNERS.exec(mid) ?? [];
    return places.some((place) => this.#at(place) === acquirer);
  }

  /** Whether a lookup may show a business to an acquirer: its provider's is, or a partner's. */
  mayUse(acquirer: Acquirer, { key, text }: { key: string; text: string }): boolean {
    const provider = this.#demoBusinesses.get(key)?.provider ?? this.#at(PROVIDER.exec(text)?.[1] ?? '');
    return provider !== undefined && (provider === acquirer || acquirer.partners.includes(provider.id));
  }

  #at = (place: string): Acquirer | undefined => this.acquirers[Number(place) - 1];
  #placeOf = (acquirer: Acquirer | undefined): number => (acquirer ? this.acquirers.indexOf(acquirer) + 1 : 0);

  /** An alphanumeric text that nobody has had yet. */
  newName(prefix: string): string {
    this.#names += 1;
    return prefix + this.#names.toString(36).toUpperCase();
  }

  /** A MID that nobody has had yet, in one of its two forms. */
  newMid(dice: Dice, provider: Acquirer, distributor: Acquirer | undefined): string {
    const owners = `${this.#placeOf(provider)}${this.#placeOf(distributor)}`;
    if (!dice.oneIn(4)) return this.newName(`SOAK${owners}N`);
    this.#names += 1;
    return `50a00${owners}0-0000-4000-8000-${this.#names.toString(16).padStart(12, '0')}`;
  }

  /** A new name that others may want at the same time, or the one that they want. */
  contested(kind: string, dice: Dice, newName: () => string): string {
    const wanted = dice.oneIn(2) ? this.#wanted.get(kind) : undefined;
    const name = wanted ?? newName();
    this.#wanted.set(kind, name);
    return name;
  }

  /** An Idempotency-Key that the acquirer has not used yet. */
  newKey(acquirer: Acquirer): string {
    const known = this.of(acquirer);
    known.keys += 1;
    return `soak-${known.keys}`;
  }

  /** What a create says of a new business, unless there are enough of them. */
  newBusiness(provider: Acquirer): { master_merchant_id: string; master_merchant_name: string } | undefined {
    if (this.#businesses >= MOST_BUSINESSES) return undefined;
    this.#businesses += 1;
    const master_merchant_id = this.newName('SOAKMM');
    return { master_merchant_id, master_merchant_name: `Café ${this.#placeOf(provider)} ${master_merchant_id}` };
  }
}
