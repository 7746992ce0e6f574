import { jest } from '@jest/globals';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';

const MINUTE = 60_000;

/** The clocks of this process, ahead of the machine's by so many milliseconds. */
let ahead = 0;

/** Sets all clocks forward. Nothing may be in progress: time budgets would be used up. */
export const passMinutes = (minutes: number): void => {
  ahead += minutes * MINUTE;
};

const [RealDate, realNow] = [Date, performance.now.bind(performance)];

/** Lets {@link passMinutes} set the clocks. Returns a function that restores them. */
export function takeClocks(): () => void {
  ahead = 0;
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length > 0 ? args : [RealDate.now() + ahead]) as [number]));
    }
    static override now = () => RealDate.now() + ahead;
  } as DateConstructor;
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + ahead);
  return () => {
    globalThis.Date = RealDate;
    spy.mockRestore();
  };
}

const load = async () => {
  const [check, hashes, record, meter, imports, members, keys, rights, client, operator] = await Promise.all([
    import('../../../lib/members/checkMember.ts'),
    import('../../../lib/members/member.ts'),
    import('../../../lib/record/record.ts'),
    import('../../../lib/aws/requestContext.ts'),
    import('../../../lib/operator/memberImport.ts'),
    import('../../../lib/operator/members.ts'),
    import('../../../lib/operator/cardKeyRotation.ts'),
    import('../../../infra/operate/recovery/rights.ts'),
    import('../../../lib/table/client.ts'),
    import('../../../lib/record/operator.ts'),
    import('../../../infra/local/patient.ts'),
  ]);
  operator.actAs(async () => 'test');
  // The engine's clock stays behind, and the SDK would retry every refused write with a corrected one.
  client.table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      delete (result.response as { headers: Record<string, string> }).headers['date'];
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'withoutDate' },
  );
  return { ...check, ...hashes, ...record, ...meter, ...imports, ...members, ...keys, ...rights, table: client.table };
};

/** The modules of a process of its own: it has its own clients, and knows the keys that it has fetched. */
export type Process = Awaited<ReturnType<typeof load>>;

const running: Process[] = [];

/** Closes the connections of all processes. */
export const endProcesses = (): void => {
  for (const { table } of running.splice(0)) table.destroy();
};

/** Starts a process. It fetches the keys at its first use of them. */
export async function newProcess(): Promise<Process> {
  await jest.isolateModulesAsync(async () => {
    running.push(await load());
  });
  return running.at(-1) as Process;
}

/** A secret store with a card key of one key, which processes started from now on use. */
export async function startCardKey(): Promise<SecretStore & { keys: () => string[] }> {
  const name = process.env['CARD_HMAC_KEY_SECRET'] as string;
  const secrets: Record<string, string> = { [name]: 'the first key' };
  const store = await startSecretStore(secrets, () => Date.now());
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  return { ...store, keys: () => (secrets[name] as string).split('\n') };
}
