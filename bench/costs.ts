import { issueApiKey } from '../lib/apiKey.ts';
import { addCard, addReward } from '../lib/member.ts';
import type { Operation, Request } from '../test/support/invoke.ts';
import { metered } from './meter.ts';
import { costPerMillion } from './prices.ts';
import { newPartners, succeed, unique } from './world.ts';

/** Requests in sequence that an operation may need, on a key that the process does not know yet. */
const MOST_IN_SEQUENCE = 4;

/** What each operation asks of the table, once with a key that the process knows and once with a new one. */
export async function costs(): Promise<boolean> {
  const rows = [];
  for (const [name, operation, prepare] of await cases()) {
    const warm = await prepare();
    const { usage } = await metered(() => succeed(operation, warm.request), { countsWrites: true });
    const cold = await prepare();
    const { api_key: key } = await issueApiKey(cold.caller.id, 'bench');
    const { usage: coldUsage } = await metered(() => succeed(operation, { ...cold.request, key }));
    rows.push({
      operation: name,
      'in sequence': usage.inSequence,
      'in sequence, new key': coldUsage.inSequence,
      requests: usage.requests,
      'read units': usage.readUnits,
      'write units': usage.writeUnits,
      '$ per million': Number(costPerMillion(usage.inSequence, usage.readUnits, usage.writeUnits).toFixed(2)),
    });
  }
  console.table(rows);
  return rows.every((row) => row['in sequence, new key'] <= MOST_IN_SEQUENCE);
}

type Prepared = { caller: Awaited<ReturnType<typeof newPartners>>['provider']; request: Request };
type Case = [name: string, operation: Operation, prepare: () => Promise<Prepared>];

async function cases(): Promise<Case[]> {
  const { distributor, provider } = await newPartners();
  const newBranch = async (body = {}) =>
    (
      await succeed('createBranch', {
        key: distributor.key,
        body: {
          mid: unique('M'),
          branch_name: 'Harbour Café',
          area: 'Docks',
          city: 'Porto',
          payment_provider: provider.id,
          master_merchant_id: unique('MM'),
          master_merchant_name: 'Harbour Cafés',
          ...body,
        },
      })
    ).body.data;
  const newTerminal = async (branch?: { mid: string }) => {
    const { mid } = branch ?? (await newBranch());
    const terminal = {
      terminal_id: unique('T'),
      serial_no: unique('S'),
      terminal_model: 'Countertop 3',
      payment_app: 'Checkout Go',
      acquirer_name: 'Atlantic Acquiring',
    };
    const answer = await succeed('createTerminals', {
      key: provider.key,
      path: { id: mid },
      body: { terminals: [terminal] },
    });
    return answer.body.data[0];
  };
  const as = (request: Request, caller = provider): Prepared => ({ caller, request: { key: caller.key, ...request } });
  const onTerminal = (body?: unknown) => async () => as({ path: { id: (await newTerminal()).tid }, body });

  const onceOnly = ({ mid }: { mid: string }) =>
    as({
      headers: { 'idempotency-key': unique('K') },
      path: { id: mid },
      body: { terminals: [{ terminal_id: unique('T') }] },
    });

  const first = await newBranch();
  for (let count = 1; count < 25; count += 1) await newBranch({ terminals: [{ terminal_id: unique('T') }] });
  for (let count = 0; count < 20; count += 1) await newTerminal(first);
  const memberId = unique('member');
  await addCard(memberId, { card_id: 'bench-card', card_pseudo_token: 'bench-token' });
  await addReward(memberId, {
    reward_id: 'welcome',
    name: 'Welcome',
    currency: 'EUR',
    minimum_amount: 0,
    valid_from: '2020-01-01T00:00:00.000Z',
    expires_at: '2099-01-01T00:00:00.000Z',
  });

  return [
    ['listBranches, 10 of 25', 'listBranches', async () => as({})],
    [
      'createBranch, a provider alone',
      'createBranch',
      async () => as({ body: { mid: unique('M'), master_merchant_id: unique('MM') } }),
    ],
    [
      'createBranch, a distributor, with 2 terminals',
      'createBranch',
      async () =>
        as(
          {
            body: {
              mid: unique('M'),
              payment_provider: provider.id,
              master_merchant_id: unique('MM'),
              terminals: [{ terminal_id: unique('T') }, { terminal_id: unique('T') }],
            },
          },
          distributor,
        ),
    ],
    [
      'createBranch, a distributor, existing business',
      'createBranch',
      async () =>
        as(
          {
            body: {
              mid: unique('M'),
              payment_provider: provider.id,
              existing_master_merchant: first.existing_master_merchant,
            },
          },
          distributor,
        ),
    ],
    ['getBranch', 'getBranch', async () => as({ path: { mid: first.mid } })],
    ['archiveBranch', 'archiveBranch', async () => as({ path: { mid: (await newBranch()).mid } })],
    ['listTerminals, 10 of 20', 'listTerminals', async () => as({ path: { id: first.mid } })],
    [
      'createTerminals, 1',
      'createTerminals',
      async () => as({ path: { id: (await newBranch()).mid }, body: { terminals: [{ terminal_id: unique('T') }] } }),
    ],
    [
      'createTerminals, 10 with all fields',
      'createTerminals',
      async () =>
        as({
          path: { id: (await newBranch()).mid },
          body: {
            terminals: Array.from({ length: 10 }, () => ({
              terminal_id: unique('T'),
              serial_no: unique('S'),
              payment_app: 'Checkout Go',
              acquirer_name: 'Atlantic Acquiring',
            })),
          },
        }),
    ],
    ['updateTerminal, model', 'updateTerminal', onTerminal({ terminal_model: 'Handheld 2' })],
    [
      'updateTerminal, serial and app',
      'updateTerminal',
      async () => onTerminal({ serial_no: unique('S'), payment_app: 'Checkout Go' })(),
    ],
    ['deleteTerminal', 'deleteTerminal', onTerminal()],
    ['archiveTerminal', 'archiveTerminal', onTerminal({ reason: 'Repair' })],
    [
      'restoreTerminal',
      'restoreTerminal',
      async () => {
        const { tid } = await newTerminal();
        await succeed('archiveTerminal', { key: provider.key, path: { id: tid }, body: { reason: 'Repair' } });
        return as({ path: { id: tid } });
      },
    ],
    [
      'reassignTerminal',
      'reassignTerminal',
      async () => as({ path: { id: (await newTerminal()).tid }, body: { mid: (await newBranch()).mid } }),
    ],
    ['createTerminals, 1, Idempotency-Key', 'createTerminals', async () => onceOnly(await newBranch())],
    [
      'the same, repeated',
      'createTerminals',
      async () => {
        const repeated = onceOnly(await newBranch());
        await succeed('createTerminals', repeated.request);
        return repeated;
      },
    ],
    ['lookup paymentProviders, oneself', 'lookup', async () => as({ path: { method: 'paymentProviders' } })],
    ['lookup paymentApp', 'lookup', async () => as({ path: { method: 'paymentApp' } })],
    ['lookup masterMerchants', 'lookup', async () => as({ path: { method: 'masterMerchants' } })],
    [
      'memberCheck, identified',
      'memberCheck',
      async () =>
        as({
          body: {
            amount: 10,
            card_id: 'bench-card',
            card_pseudo_token: 'bench-token',
            currency: 'EUR',
            terminal_id: (await newTerminal()).terminal_id,
            acquirer_id: provider.id,
          },
        }),
    ],
  ];
}
