import { readFileSync } from 'node:fs';
import { MEMORY, STAGES } from '../../infra/stack/template/definitions.ts';
import { CACHE_MS } from '../../lib/base/cache.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { UNITS_PER_TOKEN } from '../../lib/http/rateLimit.ts';
import { SHARDS } from '../../lib/table/keys.ts';
import type { Row } from './part.ts';
import { costPerMillion, duration, TABLE_MILLISECONDS, TYPICAL_CPU } from './prices.ts';
import type { Report } from './report.ts';
import { figure, markdownTable } from './tables.ts';

/*
 * The model of docs/scale.md: the load on each part and the part's limit. Units and requests are those recorded by `npm
 * run bench costs`. Limits are AWS's defaults; the document links their sources.
 */

const report: Report = JSON.parse(readFileSync(new URL('../../docs/benchmarks.json', import.meta.url), 'utf8'));

/** A count that `npm run bench costs` recorded. */
function recorded(name: string): number {
  const count = report['costs']?.result.counts[name];
  if (count === undefined) throw new Error(`docs/benchmarks.json has no count "${name}".`);
  return count;
}

/** Table usage of one call with a cached API key. */
const usageOf = (call: string) => ({
  inSequence: recorded(`${call}: requests in sequence`),
  readUnits: recorded(`${call}: read units`),
  writeUnits: recorded(`${call}: write units`),
});

const CREATE = usageOf('createBranch, a distributor, with 2 terminals');
/** The lists of such a branch: its payment provider's and its distributor's. */
const LISTS = 2;
/** Write units that rank one branch in one list, after its create. */
const RANK_UNITS = recorded('listBranches, that ranks 25 branches: write units') / SEALING.most;
/** Tokens of the rate limit that a create takes, with those that rank it. */
const CREATE_WEIGHT = Math.ceil((CREATE.writeUnits + LISTS * RANK_UNITS) / UNITS_PER_TOKEN);
/** The other calls, with their shares. */
const LIST = { ...usageOf('listBranches, 10 of 25'), share: 1 / 4 };
const OTHERS = [
  { ...usageOf('memberCheck, identified'), share: 1 / 2 },
  { ...usageOf('getBranch'), share: 1 / 4 },
  LIST,
];

/** Bytes of a branch list entry: 5,000 of them cost 110 read units of 4 KB (docs/decisions/0001-ranks-and-tail.md). */
const ENTRY_BYTES = 90;
/** Seconds that a seal holds the head: a read, and a transaction of 20 ms as `npm run bench neighbours` assumes. */
const SEAL_SECONDS = (TABLE_MILLISECONDS + 20) / 1000;

/** Units a second that one partition serves. */
const PARTITION = { reads: 3000, writes: 1000 };
const CONCURRENCY = 1000;

/** Traffic at a constant rate, without pauses. */
interface Scenario {
  name: string;
  branchesPerHour: number;
  acquirers: number;
  /** Requests of all operations, including creates. */
  requestsPerSecond: number;
  /** The busiest acquirer's share of all creates. It sends a tenth of the other calls. */
  busiest: number;
}

const SCENARIOS: Scenario[] = [
  { name: 'small', branchesPerHour: 100, acquirers: 10, requestsPerSecond: 1, busiest: 0.1 },
  { name: 'medium', branchesPerHour: 1e4, acquirers: 1000, requestsPerSecond: 100, busiest: 0.1 },
  { name: 'large', branchesPerHour: 1e6, acquirers: 1e4, requestsPerSecond: 1e4, busiest: 0.1 },
  { name: 'import', branchesPerHour: 1e6, acquirers: 10, requestsPerSecond: 1000, busiest: 1 },
];

/** The load of a scenario on the service, per second. */
function loadOf({ branchesPerHour, acquirers, requestsPerSecond, busiest }: Scenario) {
  const creates = branchesPerHour / 3600;
  const others = requestsPerSecond - creates;
  const average = (value: keyof typeof CREATE) =>
    (creates * CREATE[value] + others * OTHERS.reduce((sum, call) => sum + call.share * call[value], 0)) /
    requestsPerSecond;
  const inSequence = average('inSequence');
  const concurrency = (requestsPerSecond * duration(MEMORY, TYPICAL_CPU, inSequence)) / 1000;
  /** Requests of one acquirer that a process receives while it caches a key. */
  const known = (requestsPerSecond / acquirers / Math.max(concurrency, 1)) * (CACHE_MS / 1000);
  const busiestCreates = creates * busiest;
  const busiestLists = others * LIST.share * 0.1;
  /** Read units of the entries that a list cannot rank yet. */
  const tail = (busiestCreates * (SEALING.horizonMs / 1000) * ENTRY_BYTES) / 4096;
  const readUnits = requestsPerSecond * (average('readUnits') + 1 / (1 + known)) + busiestLists * tail;
  const writeUnits = creates * (CREATE.writeUnits + LISTS * RANK_UNITS);
  return { inSequence, concurrency, readUnits, writeUnits, busiestCreates, busiestLists, tail };
}

/** Units that one create writes to the partition of one list: its entry, which a seal removes, and the head. */
const LIST_UNITS = 2 + 2 + 2 / SEALING.most;
/** Units that one change writes to the feed of an acquirer of its branch: its copy of the event, of less than 1 KB. */
const EVENT_UNITS = 2;
/** Units that a create writes to a list's partition of the index: first position, rank, and the removal in between. */
const INDEX_UNITS = 3;

type Load = Scenario & ReturnType<typeof loadOf>;

/** The parts, their limits, and what a scenario needs of them. */
const LIMITS: [part: string, limit: number, needed: (load: Load) => number][] = [
  [
    'Rate limit of an acquirer (`infra/stack/stages.yml`), busiest acquirer',
    STAGES['prod']?.rate ?? 0,
    (load) => load.busiestCreates * CREATE_WEIGHT + (load.requestsPerSecond - load.branchesPerHour / 3600) * 0.1,
  ],
  [
    'Gateway limit of a route (`infra/stack/stages.yml`), if all requests go to one',
    STAGES['prod']?.throttleRate ?? 0,
    (load) => load.requestsPerSecond,
  ],
  ['API Gateway, account', 10_000, (load) => load.requestsPerSecond],
  ['Lambda, account', 10 * CONCURRENCY, (load) => load.requestsPerSecond],
  ['Lambda concurrency, account (at any time)', CONCURRENCY, (load) => load.concurrency],
  ['New table, write units', 4000, (load) => load.writeUnits],
  ['New table, read units', 12_000, (load) => load.readUnits],
  ['Table quota, write units', 40_000, (load) => load.writeUnits],
  ['Table quota, read units', 40_000, (load) => load.readUnits],
  ['Busiest list, write units', PARTITION.writes, (load) => load.busiestCreates * LIST_UNITS],
  ['Busiest list, read units', PARTITION.reads, (load) => load.busiestLists * (1 + load.tail)],
  ['Busiest feed, write units', PARTITION.writes, (load) => load.busiestCreates * EVENT_UNITS],
  ['Busiest index partition, write units', PARTITION.writes, (load) => load.busiestCreates * INDEX_UNITS],
  [
    'Busiest list, branches ranked',
    // Creates try to seal a list share / LISTS times as often as there are creates. A seal in progress makes others
    // fail.
    (SEALING.most - LISTS / SEALING.probability) / SEAL_SECONDS,
    (load) => load.busiestCreates,
  ],
];

/** Rounds to three significant digits, as the inputs have no more. */
const rounded = (value: number): string => figure(Number(value.toPrecision(3)));

const loads = SCENARIOS.map((scenario) => ({ ...scenario, ...loadOf(scenario) }));

const limits: Row[] = LIMITS.map(([part, limit, needed]) => ({
  'per second': part,
  limit: Math.round(limit),
  ...Object.fromEntries(
    loads.map((load) => {
      const text = rounded(needed(load));
      return [load.name, needed(load) >= limit ? `**${text}**` : text];
    }),
  ),
}));

/** Keys with much traffic, and the write or read units that one request or change takes from the key's partition. */
const KEYS: [key: string, load: string, writes: number, reads?: number][] = [
  ['`ACQUIRER#id`', 'create, for one of its lists', LIST_UNITS],
  ['`ACQUIRER#id`', 'list branches, idle list', 0, 1],
  ['`ACQUIRER#id`', 'list branches, during `import`', 0, Math.round(1 + (loads.at(-1)?.tail ?? 0))],
  ['`branches-by-*`, one acquirer', 'create', INDEX_UNITS],
  ['`branches-by-*`, one acquirer', 'create, index entry of 1 to 2 KB', 2 * INDEX_UNITS],
  ['`EVENTS#acquirer#month`', 'change in its feed', EVENT_UNITS],
  ['`EVENTS#acquirer#month`', 'poll that finds nothing new', 0, recorded('listEvents, nothing new: read units')],
  ['`EVENTS#acquirer#month`', 'poll of 100 events', 0, recorded('listEvents, 100: read units')],
  ['`events-by-branch`, `acquirer#mid`', 'change of it or its terminals', 1],
  ['`MASTER_MERCHANTS#acquirer`', 'create with a new master merchant', 2],
  ['`MASTER_MERCHANTS#acquirer`', 'lookup of 1 MB or more, not cached', 0, 128],
  // One in eight has its entry in the shard. A search reads 125 entries of 160 bytes of each shard of a common word.
  ['`WORDS#…`, one shard', 'create, for one of its words', 2 / SHARDS],
  ['`WORDS#…`, one shard', 'search for common words', 0, Math.ceil((125 * 160) / 4096)],
  ['`BRANCH#mid`', 'request that adds or removes terminals', 2],
  ['`BRANCH#mid`', 'the same, with 1,000 terminals', 56],
  ['`BRANCH#mid`', 'member check, or get the branch', 0, 1],
  ['`BRANCH#mid`', 'the same, with 1,000 terminals', 0, 7],
  ['`MEMBER#id`', 'member check', 0, 1],
  ['`terminals-by-branch`, one branch', 'new terminal', 1],
  ['`API_KEY#hash`', 'request whose key is not cached', 0, 1],
  ['`ACQUIRERS`', "change of an acquirer's keys", 2],
  ['`RATE_LIMIT#acquirer…`', 'request, at 0.1 leases each', 0.1],
];

const keys: Row[] = KEYS.map(([key, load, writes, reads]) => ({
  'partition key': key,
  load,
  'write units': writes || '',
  'read units': reads ?? '',
  'at most per second': Math.floor(writes ? PARTITION.writes / writes : PARTITION.reads / (reads ?? 1)),
}));

const MONTH_SECONDS = 730 * 3600;
/**
 * Bytes of a branch with two terminals and short names, including index entries, twelve search entries of 160 bytes, and
 * 100 bytes of overhead for each.
 */
const BRANCH_BYTES = 7800;
/**
 * Bytes of a create's event that two acquirers see, including index entries and 100 bytes of overhead for each: both
 * copies have 860 (`npm run bench events`) and an entry of as many.
 */
const EVENT_BYTES = 3800;
/** Event retention of the stages in days. */
const EVENT_DAYS = Object.values(STAGES).map(({ eventDays = 0 }) => eventDays);
/** US dollars per GB, of US East (N. Virginia): a month of storage, of recovery to a point in time, of a backup; a transfer. */
const PER_GB = { stored: 0.25, recoverable: 0.2, backup: 0.1, transferred: 0.02 };

const eventGigabytes = (perHour: number, days: number): number => (perHour * 24 * days * EVENT_BYTES) / 1e9;

const stored = (gigabytes: number): number => gigabytes * (PER_GB.stored + PER_GB.recoverable);
const dollars = (value: number): string => `$${rounded(value)}`;

const costs: Row[] = loads.map(({ name, branchesPerHour, requestsPerSecond, inSequence, readUnits, writeUnits }) => {
  const millions = (requestsPerSecond * MONTH_SECONDS) / 1e6;
  const perRequest = costPerMillion(inSequence, 0, 0);
  const unitsCost = (reads: number, writes: number) =>
    ((costPerMillion(0, reads, writes) - costPerMillion(0, 0, 0)) * MONTH_SECONDS) / 1e6;
  const gigabytes = (branchesPerHour * 8760 * BRANCH_BYTES) / 1e9 + eventGigabytes(branchesPerHour, 365);
  return {
    scenario: name,
    requests: dollars(millions * perRequest),
    reads: dollars(unitsCost(readUnits, 0)),
    writes: dollars(unitsCost(0, writeUnits)),
    'GB after a year': rounded(gigabytes),
    'stored, with PITR': dollars(stored(gigabytes)),
    'daily copies': dollars(gigabytes * (2 * 7 * PER_GB.backup + 30 * PER_GB.transferred)),
  };
});

const events: Row[] = loads.map(({ name, branchesPerHour }) => ({
  scenario: name,
  ...Object.fromEntries(EVENT_DAYS.map((days) => [`GB, ${days} days`, rounded(eventGigabytes(branchesPerHour, days))])),
  'a month, with PITR': dollars(stored(eventGigabytes(branchesPerHour, Math.max(...EVENT_DAYS)))),
}));

/** The tables in Markdown by the headings above them. */
export const tables: Record<string, string> = {
  'What each scenario needs': markdownTable(limits),
  'When a key is hot': markdownTable(keys),
  'What a month costs': markdownTable(costs),
  'What events store': markdownTable(events),
};

/**
 * Replaces the first table below each heading of the model.
 *
 * @throws Error if the document lacks such a heading or table.
 */
export const withTables = (document: string): string =>
  Object.entries(tables).reduce((text, [heading, table]) => {
    const place = new RegExp(`^(#+ ${heading}\\n(?:(?!#|\\|).*\\n)*)(?:\\|.*\\n)+`, 'm');
    if (!place.test(text)) throw new Error(`The document has no table below "${heading}".`);
    return text.replace(place, (_, before: string) => `${before}${table}\n`);
  }, document);
