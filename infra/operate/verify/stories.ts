import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { CARD, prepare, STORY, type Step } from '../../publish/contract/calls.ts';
import { examplesIn } from '../../publish/contract/conformity.ts';
import { CONSOLE_STORY, type ConsoleStep, credentialsOf, preparePeople } from '../../publish/contract/consoleCalls.ts';
import type { AnyExample } from '../../publish/contract/record.ts';
import type { Send } from '../../publish/contract/send.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { MEMBER, OF_CONSOLE, PARTNERS } from './acquirers.ts';
import { register } from './operator.ts';
import { Renaming } from './renaming.ts';
import { patient, type Story } from './replay.ts';
import { Skipped } from './verify.ts';

/*
 * The stories of the contracts (infra/publish/contract), as a run replays them.
 */

/** In whose names the story of partners is replayed, if their API keys were given. */
export interface Given {
  acquirers: Record<'payfair' | 'northgate', Acquirer>;
  keys: Record<'payfair' | 'northgate', string>;
  /** Names that their terminals may have, by those of the story. */
  names: Map<string, string>;
}

/** The keys of two acquirers that are partners of each other. */
const Keys = v.pipe(v.string(), v.parseJson(), v.object({ provider: v.string(), distributor: v.string() }));

/**
 * Finds out who two acquirers are by their keys.
 *
 * @param file JSON: `{ "provider": "<API key>", "distributor": "<API key>" }`.
 * @throws Stop if they are not a payment provider and a distributor that are partners.
 */
export async function withKeys(send: Send, file: string): Promise<Given> {
  const { success, output: keys } = v.safeParse(Keys, readFileSync(file, 'utf8'));
  const unusable = `Wrong usage: ${file} must be {"provider": "<key>", "distributor": "<key>"}, with keys of two partners.`;
  if (!success) throw new Stop(unusable, WRONG_USAGE);
  const listed = async (key: string, method: string): Promise<{ key: string; text: string }[]> => {
    const { status, body } = await patient(send, 'lookup', { key, path: { method } });
    if (status !== 200) throw new Stop(`The lookup ${method} responded with ${status} ${body.code}.`);
    return body.data;
  };
  // A list of the caller's own kind has only itself, and the other one its partners.
  const [provider, ...others] = await listed(keys.provider, 'paymentProviders');
  const [distributor, ...more] = await listed(keys.distributor, 'distributors');
  const partners = await listed(keys.provider, 'distributors');
  const arePartners = partners.some(({ key }) => key === distributor?.key);
  if (!provider || !distributor || others.length + more.length > 0 || !arePartners)
    throw new Stop(unusable, WRONG_USAGE);
  const [app] = await listed(keys.provider, 'paymentApp');
  const [acquirer] = await listed(keys.provider, 'acquirers');
  if (!app || !acquirer)
    throw new Stop(`${provider.text} needs a payment app and a master acquirer that its terminals may have.`);
  return {
    acquirers: {
      payfair: { id: provider.key, type: 'PAYMENT_PROVIDER', name: provider.text },
      northgate: { id: distributor.key, type: 'DISTRIBUTOR', name: distributor.text },
    },
    keys: { payfair: keys.provider, northgate: keys.distributor },
    names: new Map([
      ['Checkout Go', app.key],
      ['Atlantic Acquiring', acquirer.key],
    ]),
  };
}

/** Why a step is skipped. */
export const NOT_GIVEN = 'it needs operator access: use --stage';

/** Names of the story which only an operator prepares. */
const PREPARED = ['LISBON0009', tidOf('T0000009'), 'WELCOME'];

const EXAMPLES = examplesIn(STORY);

/** The names of this run in the story of partners. */
export const renamingOf = (given: Given | undefined): Renaming =>
  new Renaming([STORY, EXAMPLES], given?.acquirers ?? PARTNERS, given?.names ?? new Map());

/** The story of partners. With operator access, it first registers the acquirers. */
export async function partnersStory(given: Given | undefined, renaming: Renaming): Promise<Story<Step>> {
  const acquirers = { ...PARTNERS, ...given?.acquirers };
  const keys: Record<string, string> =
    given?.keys ?? (await prepare({ acquirers, register, member: MEMBER, card: renaming.request(CARD) }));
  const isKnown = (step: Step, example: AnyExample | undefined): boolean => {
    const text = JSON.stringify([step, example]);
    // A lookup of reference data shows all that the acquirer has.
    const isOfOthers = step.operation === 'lookup' && example?.status === 200 && !text.includes('Harbour');
    return !isOfOthers && !PREPARED.some((name) => text.includes(name));
  };
  return {
    name: 'story of partners',
    steps: STORY,
    examples: EXAMPLES,
    renaming,
    feedOf: ({ as }) => acquirers[as === 'northgate' ? 'northgate' : 'payfair'],
    credentialsOf({ as = 'payfair' }) {
      if (as !== 'nobody' && !keys[as]) throw new Skipped(NOT_GIVEN);
      return { key: keys[as] };
    },
    ...(given && { skip: (step, example) => (isKnown(step, example) ? undefined : NOT_GIVEN) }),
  };
}

/** The story of the console, whose acquirers and people it first registers. */
export async function consoleStory(send: Send): Promise<Story<ConsoleStep>> {
  const renaming = new Renaming([STORY, CONSOLE_STORY], OF_CONSOLE, new Map());
  const { sessions, ids } = await preparePeople({
    acquirers: OF_CONSOLE,
    register,
    // No such issuer exists, so nobody else can sign in as these people.
    issuer: 'https://verification.invalid',
    send: (operation, request) => patient(send, operation, renaming.request(request)),
  });
  for (const [example, real] of ids) renaming.learn(example, real);
  return {
    name: 'story of the console',
    steps: CONSOLE_STORY,
    examples: examplesIn(CONSOLE_STORY),
    renaming,
    credentialsOf: (step) => credentialsOf(step, sessions),
  };
}
