import type { Demo } from '../../infra/local/demo.ts';
import type { Call } from './call.ts';
import type { Dice } from './dice.ts';

/** An acquirer of the demo data. */
export type Acquirer = Demo['acquirers'][number];

/** A branch from a response. Branches are never deleted and never change their acquirers. */
export interface Branch {
  mid: string;
  provider: Acquirer;
  distributor: Acquirer | undefined;
  isArchived: boolean;
}

/** A terminal from a response, with its branch at that time. Others may have moved or deleted it since. */
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
  /** Its master_merchant_id, if a response has shown it. */
  id?: string;
  provider: Acquirer;
}

const MOST_KNOWN = 60;
const LATEST = 6;
const TRIES = 8;

/** The latest resources from responses. Older ones are dropped, so it does not grow. */
class Pool<T> {
  readonly #items: T[] = [];
  #added = 0;

  add(item: T): void {
    this.#items[this.#added % MOST_KNOWN] = item;
    this.#added += 1;
  }

  /** A suitable item, if a few tries find one. Half of the time it is one of the latest, so callers conflict. */
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

/** The knowledge of one acquirer's scripts. */
export class Knowledge {
  readonly branches = new Pool<Branch>();
  readonly terminals = new Pool<Terminal>();
  readonly businesses = new Pool<Business>();
  /** The calls with an Idempotency-Key. */
  readonly keyed = new Pool<Call>();
  /** Calls of histories with a cursor. */
  readonly histories = new Pool<Call>();
  /** Its cursor in its events, and the last full page of them. */
  cursor: string | undefined;
  page: { query: Record<string, string>; data: unknown } | undefined;
  keys = 0;
  /** The number of branches that its list certainly has, by the responses so far. */
  listed = 0;
  /** The most branches that it can have, by the requests so far. */
  sent = 0;
}

/** Whether an acquirer can access a branch and its terminals. */
export const isOwner = (acquirer: Acquirer, { provider, distributor }: Branch): boolean =>
  acquirer === provider || acquirer === distributor;

/** A MID of a soak contains the positions of its two acquirers in the demo data, from 1; 0 is no distributor. */
const OWNERS = /^(?:SOAK|50a00)(\d)(\d)/;
/** The name of a soak's master merchant contains the position of its provider. */
const PROVIDER = /^Café (\d)/;
/** A lookup returns whole lists, so there are fewer master merchants than branches. */
const MOST_BUSINESSES = 200;

/** Reads a list from the API. */
type List = (
  acquirer: Acquirer,
  path: string,
) => Promise<{
  data: { mid: string; key: string; tid: string; terminal_id: string; status: string }[];
  meta: { total: number };
}>;

/** Everything that the callers know, which the rules compare responses with. It does not grow with time. */
export class World {
  readonly acquirers: Acquirer[];
  readonly members: Demo['members'];
  /** The number of terminals, by the responses so far. */
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

  /** Reads the demo data before anyone changes them. */
  async explore(list: List): Promise<void> {
    // Providers first, because distributors see their resources.
    for (const acquirer of this.acquirers.toSorted((a, b) => b.type.localeCompare(a.type))) {
      const { data, meta } = await list(acquirer, '/ext/api/v1/merchants?per_page=100&sort=asc');
      Object.assign(this.of(acquirer), { listed: meta.total, sent: meta.total });
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

  /** The acquirers that know a branch. */
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

  /** Adds a master merchant, also for the distributor of its branch. */
  learnBusiness(uuid: string, id: string, branch: Branch): void {
    for (const owner of this.#ownersOf(branch)) owner.businesses.add({ uuid, id, provider: branch.provider });
  }

  /** Counts a branch in its acquirers' lists: when it is sent, and when it exists. */
  count(branch: Branch, as: 'sent' | 'listed'): void {
    for (const owner of this.#ownersOf(branch)) owner[as] += 1;
  }

  /** Whether a response may show a MID to an acquirer. */
  maySee(acquirer: Acquirer, mid: string): boolean {
    const branch = this.#demoBranches.get(mid);
    if (branch) return isOwner(acquirer, branch);
    const [, ...places] = OWNERS.exec(mid) ?? [];
    return places.some((place) => this.#at(place) === acquirer);
  }

  /** Whether a lookup may show a master merchant to an acquirer: one of its own or of a partner. */
  mayUse(acquirer: Acquirer, { key, text }: { key: string; text: string }): boolean {
    const provider = this.#demoBusinesses.get(key)?.provider ?? this.#at(PROVIDER.exec(text)?.[1] ?? '');
    return provider !== undefined && (provider === acquirer || acquirer.partners.includes(provider.id));
  }

  #at = (place: string): Acquirer | undefined => this.acquirers[Number(place) - 1];
  #placeOf = (acquirer: Acquirer | undefined): number => (acquirer ? this.acquirers.indexOf(acquirer) + 1 : 0);

  /** An unused alphanumeric text. */
  newName(prefix: string): string {
    this.#names += 1;
    return prefix + this.#names.toString(36).toUpperCase();
  }

  /** An unused MID in one of its two forms. */
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

  /** The fields of a create for a new master merchant, unless there are enough of them. */
  newBusiness(provider: Acquirer): { master_merchant_id: string; master_merchant_name: string } | undefined {
    if (this.#businesses >= MOST_BUSINESSES) return undefined;
    this.#businesses += 1;
    const master_merchant_id = this.newName('SOAKMM');
    return { master_merchant_id, master_merchant_name: `Café ${this.#placeOf(provider)} ${master_merchant_id}` };
  }
}
