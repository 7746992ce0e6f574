import { unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { CARD, prepare, STORY, type Step } from '../../publish/contract/calls.ts';
import { examplesIn } from '../../publish/contract/conformity.ts';
import { CONSOLE_STORY, type ConsoleStep, credentialsOf, preparePeople } from '../../publish/contract/consoleCalls.ts';
import type { Send } from '../../publish/contract/send.ts';
import { MEMBER, OF_CONSOLE, PARTNERS } from './acquirers.ts';
import { register } from './operator.ts';
import { Renaming } from './renaming.ts';
import { patient, type Story } from './replay.ts';

/*
 * The stories of the contracts (infra/publish/contract), as a run replays them.
 */

/** The story of partners, whose acquirers it first registers. */
export async function partnersStory(): Promise<Story<Step>> {
  const renaming = new Renaming(STORY, PARTNERS);
  const keys = await prepare({ acquirers: PARTNERS, register, member: MEMBER, card: renaming.request(CARD) });
  return {
    name: 'story of partners',
    steps: STORY,
    examples: examplesIn(STORY),
    renaming,
    endPartnership: () => unlinkPartners(PARTNERS.northgate.id, PARTNERS.payfair.id),
    feedOf: ({ as }) => PARTNERS[as === 'northgate' ? 'northgate' : 'payfair'],
    credentialsOf: ({ as = 'payfair' }) => ({ key: keys[as] }),
  };
}

/** The story of the console, whose acquirers and people it first registers. */
export async function consoleStory(send: Send): Promise<Story<ConsoleStep>> {
  const renaming = new Renaming([STORY, CONSOLE_STORY], OF_CONSOLE);
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
