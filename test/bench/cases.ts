import { SEALING } from '../../lib/branches/ranks.ts';
import { FEED } from '../../lib/events/feed.ts';
import { addCard, addReward } from '../../lib/operator/memberImport.ts';
import type { Operation, Request } from '../support/invoke.ts';
import {
  type Caller,
  fullTerminal,
  NAMES,
  newBranch,
  newPartners,
  newTerminals,
  plainBranch,
  succeed,
  unique,
} from './world.ts';

/** One kind of call of an operation, each time with new data. */
export interface Case {
  /** The operation and the kind of call; the same in all figures. */
  name: string;
  operation: Operation;
  /** The expected status. */
  status: number;
  prepare: () => Promise<{ caller: Caller; request: Request }>;
}

/** Calls of all operations: successes, and failures with other table usage. */
export async function cases(): Promise<Case[]> {
  const [{ distributor, provider }, { provider: stranger }, { provider: lister }, { provider: ranker }, mirror] =
    await Promise.all([newPartners(), newPartners(), newPartners(), newPartners(), newPartners()]);

  const { key } = provider;
  const branch = () => newBranch(distributor, { ...NAMES, payment_provider: provider.id });
  const archive = async (mid: string) => {
    await succeed('archiveBranch', { key, path: { mid } });
    return mid;
  };
  const newTerminal = async () => (await newTerminals(provider, (await branch()).mid, [fullTerminal()]))[0];
  const plain = () => ({ terminal_id: unique('T') });
  const full = (count: number) => Array.from({ length: count }, fullTerminal);

  const first = await branch();
  await newTerminals(provider, first.mid, full(20));
  for (let count = 0; count < 25; count += 1) await newBranch(lister, NAMES);
  const foreign = await newBranch(stranger, { terminals: [plain()] });
  const serial_no = unique('S');
  await newTerminals(stranger, foreign.mid, [{ ...plain(), serial_no }]);
  const ofBusiness = ({ master_merchant_id, payment_provider }: Record<string, string>) => ({
    query: { master_merchant_id, payment_provider } as Record<string, string>,
  });
  /**
   * As many unranked branches as one seal ranks, after a list that ranks the earlier ones. From here on, all are old
   * enough.
   */
  const unranked = async (): Promise<Request> => {
    for (const round of ['before', 'now']) {
      Object.assign(SEALING, { horizonMs: Number.POSITIVE_INFINITY, probability: 0 });
      for (let count = 0; count < SEALING.most; count += 1) await newBranch(ranker, NAMES);
      Object.assign(SEALING, { horizonMs: -60_000 });
      if (round === 'before') await succeed('listBranches', { key: ranker.key });
    }
    return {};
  };
  /** A branch with a terminal that has changed 100 times since. */
  const busy = async () => {
    const { id } = mirror.distributor;
    const { mid, terminals } = await newBranch(mirror.provider, { ...NAMES, distributor: id, terminals: full(1) });
    const { tid } = terminals[0];
    const update = { key: mirror.provider.key, path: { id: tid } };
    for (let count = 1; count <= 100; count += 1)
      await succeed('updateTerminal', { ...update, body: { terminal_model: `Countertop ${count}` } });
    return { mid, tid };
  };
  // Makes events visible at once.
  FEED.horizonMs = -60_000;
  const changed = await busy();
  /** The cursor of a page, obtained some time before it is used. */
  const cursor = async (query: Record<string, string>): Promise<Request> => {
    FEED.horizonMs = -60_000;
    const { body } = await succeed('listEvents', { key: mirror.provider.key, query });
    FEED.horizonMs = -120_000;
    return { query: { after: body.meta.next } };
  };
  const memberId = unique('member');
  const card = { card_id: unique('card'), card_pseudo_token: 'bench-token' };
  await addCard(memberId, card);
  await addReward(memberId, {
    reward_id: 'welcome',
    name: 'Welcome',
    currency: 'EUR',
    minimum_amount: 0,
    valid_from: '2020-01-01T00:00:00.000Z',
    expires_at: '2099-01-01T00:00:00.000Z',
  });

  const of = (
    operation: Operation,
    what: string,
    status: number,
    requestOf: () => Request | Promise<Request>,
    caller: Caller = provider,
  ): Case => ({
    name: what ? `${operation}, ${what}` : operation,
    operation,
    status,
    async prepare() {
      // Only the calls that measure ranking rank branches.
      Object.assign(SEALING, { horizonMs: Number.POSITIVE_INFINITY, probability: 0 });
      return { caller, request: { key: caller.key, ...(await requestOf()) } };
    },
  });
  const onTerminal = async (body?: unknown): Promise<Request> => ({ path: { id: (await newTerminal()).tid }, body });
  const inBranch = async (...terminals: object[]): Promise<Request> => ({
    path: { id: (await branch()).mid },
    body: { terminals },
  });
  const named = () => ({ ...plainBranch(), ...NAMES });
  const withTwo = () => ({ body: { ...named(), payment_provider: provider.id, terminals: [plain(), plain()] } });
  const { master_merchant_name: _, ...branchNames } = NAMES;
  const ofExisting = () => {
    const { existing_master_merchant } = first;
    return { body: { mid: unique('M'), ...branchNames, payment_provider: provider.id, existing_master_merchant } };
  };
  const keyed = () => ({ headers: { 'idempotency-key': unique('K') } });
  const check = async (changes = {}) => ({
    body: {
      ...card,
      amount: 10,
      currency: 'EUR',
      terminal_id: (await newTerminal()).terminal_id,
      acquirer_id: provider.id,
      ...changes,
    },
  });

  return [
    of('listBranches', '10 of 25', 200, () => ({}), lister),
    of('listBranches', 'ascending', 200, () => ({ query: { sort: 'asc', page: '2' } }), lister),
    of('listBranches', 'page 2 from the newest', 200, () => ({ query: { page: '2' } }), lister),
    of('listBranches', 'that ranks 25 branches', 200, () => unranked(), ranker),
    of('listBranches', 'search of 25', 200, () => ({ query: { search: 'harbour cafe' } }), lister),
    of('listBranches', 'wrong query', 400, () => ({ query: { page: '0' } })),
    of('createBranch', 'a provider alone', 201, () => ({ body: named() })),
    of('createBranch', 'a distributor, with 2 terminals', 201, withTwo, distributor),
    of('createBranch', 'a distributor, existing business', 201, ofExisting, distributor),
    of('createBranch', 'joining a business by its id', 201, () => ({
      body: { mid: unique('M'), ...branchNames, master_merchant_id: first.master_merchant_id },
    })),
    of('createBranch', 'with an Idempotency-Key', 201, () => ({ ...keyed(), body: named() })),
    of('createBranch', 'validated only', 200, () => ({ body: named(), query: { validate_only: 'true' } })),
    of('createBranch', 'wrong body', 422, () => ({ body: {} })),
    of('createBranch', 'MID taken', 422, () => ({ body: { ...plainBranch(), mid: first.mid } })),
    of('getBranch', '', 200, () => ({ path: { mid: first.mid } })),
    of('getBranch', 'foreign', 404, () => ({ path: { mid: foreign.mid } })),
    of('updateBranch', 'the city', 200, async () => ({ path: { mid: (await branch()).mid }, body: { city: 'Braga' } })),
    of('updateBranch', 'nothing', 200, async () => ({ path: { mid: (await branch()).mid }, body: {} })),
    of('updateBranch', 'foreign', 404, () => ({ path: { mid: foreign.mid }, body: {} })),
    of('restoreBranch', '', 200, async () => ({ path: { mid: await archive((await branch()).mid) } })),
    of('restoreBranch', 'not archived', 400, async () => ({ path: { mid: (await branch()).mid } })),
    of('archiveBranch', '', 200, async () => ({ path: { mid: (await branch()).mid } })),
    of('archiveBranch', 'archived already', 400, async () => ({
      path: { mid: await archive((await branch()).mid) },
    })),
    of('listTerminals', '10 of 20', 200, () => ({ path: { id: first.mid } })),
    of('listTerminals', 'foreign branch', 404, () => ({ path: { id: foreign.mid } })),
    of('createTerminals', '1', 201, () => inBranch(plain())),
    of('createTerminals', '12 with all fields', 201, () => inBranch(...full(12))),
    of('createTerminals', '1 with an Idempotency-Key', 201, async () => ({ ...keyed(), ...(await inBranch(plain())) })),
    of('createTerminals', 'the same once more', 201, async () => {
      const request = { ...keyed(), ...(await inBranch(plain())) };
      await succeed('createTerminals', { key, ...request });
      return request;
    }),
    of('createTerminals', '40 with serials and an Idempotency-Key', 201, async () => ({
      ...keyed(),
      ...(await inBranch(...full(40))),
    })),
    of('createTerminals', 'terminal_id taken', 422, async () => ({
      path: { id: first.mid },
      body: { terminals: [{ terminal_id: (await newTerminal()).terminal_id }] },
    })),
    of('createTerminals', 'archived branch', 400, async () => ({
      path: { id: await archive((await branch()).mid) },
      body: { terminals: [plain()] },
    })),
    of('updateTerminal', 'model', 200, () => onTerminal({ terminal_model: 'Handheld 2' })),
    of('updateTerminal', 'serial and app', 200, () =>
      onTerminal({ serial_no: unique('S'), payment_app: 'Checkout Go' }),
    ),
    of('updateTerminal', 'nothing', 200, () => onTerminal({})),
    of('updateTerminal', 'unknown payment app', 422, () => onTerminal({ payment_app: 'No Such App' })),
    of('updateTerminal', 'foreign', 400, () => ({ path: { id: foreign.terminals[0].tid }, body: {} })),
    of('deleteTerminal', '', 200, onTerminal),
    of('deleteTerminal', 'foreign', 404, () => ({ path: { id: foreign.terminals[0].tid } })),
    of('archiveTerminal', '', 200, () => onTerminal({ reason: 'Repair' })),
    of('archiveTerminal', 'archived with its branch already', 400, async () => {
      const { tid, mid } = await newTerminal();
      await archive(mid);
      return { path: { id: tid }, body: { reason: 'Repair' } };
    }),
    of('restoreTerminal', '', 200, async () => {
      const { tid } = await newTerminal();
      await succeed('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Repair' } });
      return { path: { id: tid } };
    }),
    of('restoreTerminal', 'under an archived branch', 200, async () => {
      const { tid, mid } = await newTerminal();
      await archive(mid);
      return { path: { id: tid } };
    }),
    of('restoreTerminal', 'not archived', 400, onTerminal),
    of('reassignTerminal', '', 200, async () => onTerminal({ mid: (await branch()).mid })),
    of('reassignTerminal', 'with an Idempotency-Key', 200, async () => ({
      ...(await onTerminal({ mid: (await branch()).mid })),
      ...keyed(),
    })),
    of('reassignTerminal', 'the same once more', 200, async () => {
      const request = { ...(await onTerminal({ mid: (await branch()).mid })), ...keyed() };
      await succeed('reassignTerminal', { key, ...request });
      // By then the terminal has moved again.
      const elsewhere = { mid: (await branch()).mid };
      await succeed('reassignTerminal', { key, path: request.path, body: elsewhere });
      return request;
    }),
    of('reassignTerminal', 'foreign MID', 400, () => onTerminal({ mid: foreign.mid })),
    of('lookup', 'paymentProviders, oneself', 200, () => ({ path: { method: 'paymentProviders' } })),
    of('lookup', 'paymentApp', 200, () => ({ path: { method: 'paymentApp' } })),
    of('lookup', 'masterMerchants, 25', 200, () => ({ path: { method: 'masterMerchants' } }), lister),
    of('lookup', 'unknown', 404, () => ({ path: { method: 'nothing' } })),
    of('find', 'a serial', 200, async () => ({ query: { serial_no: (await newTerminal()).serial_no } })),
    of('find', 'an unknown serial', 404, () => ({ query: { serial_no: unique('S') } })),
    of('find', 'a foreign serial', 404, () => ({ query: { serial_no } })),
    of('find', 'a serial under an archived branch', 200, async () => {
      const { serial_no, mid } = await newTerminal();
      await archive(mid);
      return { query: { serial_no } };
    }),
    of('find', 'a terminal_id', 200, async () => ({ query: { terminal_id: (await newTerminal()).terminal_id } })),
    of('find', 'a MID', 200, () => ({ query: { mid: first.mid } })),
    of('find', 'a master merchant', 200, () => ofBusiness(first), distributor),
    of('find', 'a foreign master merchant', 404, () => ofBusiness(foreign), distributor),
    of('find', 'wrong query', 400, () => ({ query: {} })),
    of('listEvents', '100', 200, () => cursor({ limit: '1' }), mirror.provider),
    of('listEvents', 'nothing new', 200, () => cursor({ after: 'now' }), mirror.provider),
    of('listEvents', 'foreign cursor', 400, () => cursor({ after: 'now' }), distributor),
    of('getBranchHistory', '20', 200, () => ({ path: { mid: changed.mid } }), mirror.distributor),
    of('getBranchHistory', 'foreign', 404, () => ({ path: { mid: changed.mid } })),
    of('getTerminalHistory', '20', 200, () => ({ path: { id: changed.tid } }), mirror.distributor),
    of('getTerminalHistory', 'with its creation', 200, async () => {
      const { tid } = await newTerminal();
      const body = { terminal_model: 'Handheld 2' };
      await succeed('updateTerminal', { key, path: { id: tid }, body });
      return { path: { id: tid } };
    }),
    of('getTerminalHistory', 'foreign', 404, () => ({ path: { id: changed.tid } })),
    of('memberCheck', 'identified', 200, check),
    of('memberCheck', 'not identified', 200, () => check({ card_pseudo_token: 'another' })),
    of('memberCheck', 'wrong body', 422, () => ({ body: {} })),
    of('unknownRoute', '', 404, () => ({})),
  ];
}
