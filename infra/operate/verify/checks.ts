import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { actAs } from '../../../lib/record/operator.ts';
import type { Request } from '../../publish/contract/invoke.ts';
import { type Send, sender } from '../../publish/contract/send.ts';
import { parameterOf, STAGES } from '../../stack/template/definitions.ts';
import { identify } from '../cli/identity.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { OF_CONSOLE, PARTNERS } from './acquirers.ts';
import { baseUrlOf, checkAlarms, checkRecord, checkSelfCheck, logGroups } from './aws.ts';
import { deleteWebhooks, expectDelivery } from './deliveries.ts';
import type { Logs } from './logs.ts';
import { begin, closeBranches, enabled, end } from './operator.ts';
import { checkAssistants, checkConsole, checkNoSite, checkSignIn, checkUnknownRoute } from './pages.ts';
import { type Options as Replaying, replay, SHOWN_AS } from './replay.ts';
import { consoleStory, partnersStory } from './stories.ts';
import { type Outcome, Run } from './verify.ts';

/** What is verified: a deployed stage, or a running `npm start`, whose log is read only if `logs` is set. */
export type Target = { stage: string } | { baseUrl: string; logs?: Logs };

export interface Options extends Replaying {
  /** Runs only checks whose names contain this text. */
  only?: string;
  /** Does no more than the pipeline's role may. */
  pipeline?: boolean;
}

interface Observer {
  /** Gets the base URL, and a function that ends the run early and tidies up. */
  onBegin: (baseUrl: string, tidy: () => Promise<void>) => void;
  onOutcome: (outcome: Outcome) => void;
}

/** Either turns the console on: docs/partners.md#sign-in. */
const CONSOLE_PARAMETERS = ['issuer', 'cognitoDomainPrefix'];

/** Whether an API has a console: otherwise its route is unknown, for which a key counts. */
async function hasConsole(target: Target, send: Send): Promise<boolean> {
  // As it is configured, so that a lost route is not taken for a stage without a console.
  if ('stage' in target && CONSOLE_PARAMETERS.some((name) => parameterOf(target.stage, name))) return true;
  const { body } = await send('getSession', { key: newApiKey() });
  return body.code === 'invalid_session';
}

/**
 * Whether the pipeline may change items of the stage's table, and read its card key, to verify it: not where data is protected, nor
 * with the card key of a stage whose data may be (`Verifies` in infra/operate/policies.yml).
 */
export const pipelineMayChange = (stage: string): boolean =>
  !STAGES[stage]?.protection && !STAGES[stage]?.cardHmacKeySecret;

type Checks = Record<string, () => Promise<void>>;

const WITH_BRANCHES = [PARTNERS.payfair, PARTNERS.trustcard, OF_CONSOLE.payfair].map(({ id }) => id);

/** Closes the branches of this run, and of one that was interrupted. */
async function closeAll(send: Send): Promise<void> {
  for (const id of await enabled()) if (WITH_BRANCHES.includes(id)) await closeBranches(send, id);
}

/**
 * Verifies an API, and tidies up.
 *
 * @throws Stop if it cannot begin.
 */
export async function verify(
  target: Target,
  { only = '', pipeline = false, ...how }: Options,
  { onBegin, onOutcome }: Observer,
): Promise<Outcome[]> {
  const stage = 'stage' in target ? target.stage : '';
  const baseUrl = 'stage' in target ? await baseUrlOf(stage) : target.baseUrl;
  const send = sender(baseUrl, SHOWN_AS);
  const isOfConsole = await hasConsole(target, send);
  const run = new Run(onOutcome);
  const site = { baseUrl, send, run };
  let running = '';
  const mayChange = !pipeline || stage === '' || pipelineMayChange(stage);
  const wanted = (checks: Checks) => Object.entries(checks).filter(([name]) => name.includes(only));

  const stories = wanted(
    mayChange
      ? {
          'story of partners': async () => {
            const story = await partnersStory();
            const [caller, distributor] = [{}, { as: 'northgate' } as const].map((as) =>
              story.credentialsOf({ operation: 'listBranches', ...as }),
            ) as [Pick<Request, 'key'>, Pick<Request, 'key'>];
            for (const each of [caller, distributor]) await deleteWebhooks(send, each);
            const isDelivered = stage === '' ? undefined : await expectDelivery(send, distributor);
            await replay(run, send, story, how);
            if (isDelivered) await run.check('an event is delivered to a webhook', isDelivered);
            await run.check('an unknown route is 404', () => checkUnknownRoute(site, caller));
            await run.check('an assistant has its tools, which reach the API', () => checkAssistants(site, caller));
          },
          ...(isOfConsole && {
            'story of the console': async () => replay(run, send, await consoleStory(send), how),
          }),
        }
      : { 'the self-check passes': () => checkSelfCheck(stage, run.since) },
  );
  const others = wanted({
    ...(isOfConsole && {
      'the console’s page loads, with all that it refers to': () => checkConsole(site),
      'a sign-in leads to the issuer, and a forged one is refused': () => checkSignIn(site),
    }),
    ...(stage !== '' && {
      'the base URL serves no page of the docs site': () => checkNoSite(site),
      ...(mayChange && { 'the operator’s record is copied': () => checkRecord(stage, running, run.since) }),
      'every alarm notifies, and has a state': () => checkAlarms(stage),
    }),
  });
  if (stories.length + others.length === 0)
    throw new Stop(`Wrong usage: no check has "${only}" in its name.`, WRONG_USAGE);

  if (mayChange) {
    actAs(() => identify(stage !== ''));
    running = await begin();
  }
  let ended: Promise<unknown> | undefined;
  const finish = async () => {
    run.isOver = true;
    if (!mayChange) return;
    ended ??= run.check('nothing is left', async () => {
      try {
        await closeAll(send);
      } finally {
        await end(running);
      }
    });
    await ended;
  };
  onBegin(baseUrl, finish);
  // A story has an outcome of its own only if it cannot be told.
  await Promise.all(stories.map(([name, work]) => run.check(name, work)));
  for (const [name, work] of others) await run.check(name, work);
  const logs = 'stage' in target ? logGroups(stage) : target.logs;
  if (logs) await run.readLogs(logs);
  await finish();
  return run.outcomes;
}
