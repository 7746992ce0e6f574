import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueApiKey } from '../../../../lib/acquirers/keyring.ts';
import { addCard } from '../../../../lib/operator/memberImport.ts';
import { personOf, type SignedIn } from '../../../support/people.ts';
import { storedBy } from '../../../support/stored.ts';
import { addNames, newWorld } from '../../../support/world.ts';
import { expectFailure, operator } from './operator.ts';

/** The id of no acquirer. */
const ID = '7d0a1a36-4d6f-4b53-9b0e-1f8f0b6b1c55';
const KEY_ID = '0123456789ab';
const API_KEY = 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt';
const CARD_NUMBER = '4242424242424242';
const HINT = '(see "npm run operator -- --help")';

const CREATE = 'acquirers create --type DISTRIBUTOR';
const INVITE = `people invite --acquirer ${ID} --email anna@example.com --role admin`;
const REQUIRED = 'Is required.';
const NO_CARD_NUMBER = 'Must not contain a payment card number.';
const COUNT = 'Must be a whole number of 1 or more.';
const NO_LIMIT = 'add --rate or --default.';
const LABEL = 'Must be 1 to 64 of 0-9, A-Z, a-z, dot, hyphen and underscore, such as production.';
const DURATION = 'Must be a number of minutes, hours or days, such as 90m, 24h or 7d.';
const ONE_CARD = 'add either the reference of a card or --card-id-stdin.';
const ONE_TEXT = 'add either an id or --api-key-stdin.';
const ONE_KEY = 'stdin must have one API key, on one line.';
const NO_KEY =
  'Must not be an API key, which the history of the shell keeps. Pass it on stdin, to find --api-key-stdin.';
const ONE_LINE = 'stdin must have one card_id, on one line.';

/** The arguments of a command as it is typed; `""` is an empty one. */
const argsOf = (command: string): string[] => command.split(' ').map((word) => (word === '""' ? '' : word));

describe('wrong usage is explained in one line, without secrets, and changes nothing:', () => {
  test.each([
    ['key list', `unknown command 'key' (Did you mean keys?) ${HINT}`],
    ['acquirers list --nope', `unknown option '--nope' ${HINT}`],
    [
      'acquirers list --stage dev --table x',
      `option '--stage <stage>' cannot be used with option '--table <name>' ${HINT}`,
    ],
    ['acquirers show', `missing required argument 'acquirer' ${HINT}`],
    ['acquirers create --name X', `required option '--type <type>' not specified ${HINT}`],
    [`${CREATE} --name ""`, `--name <name>: ${REQUIRED}`],
    [`${CREATE} --name X --id 1`, '--id <uuid>: Must be a UUID.'],
    [`acquirers rename ${ID} ${CARD_NUMBER}`, `<name>: ${NO_CARD_NUMBER}`],
    [`acquirers limit ${ID} --burst 10`, NO_LIMIT],
    [
      `acquirers limit ${ID} --rate 10 --burst 15`,
      'The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not 10 ' +
        'and 15.',
    ],
    [`acquirers limit ${ID} --rate 1.5`, `--rate <count>: ${COUNT}`],
    [`keys list ${CARD_NUMBER}`, `<acquirer>: ${NO_CARD_NUMBER}`],
    [
      `partnerships link Northgate ${API_KEY}`,
      '<provider>: Must not contain an API key. If it is yours, have it revoked.',
    ],
    [`${INVITE} --base-url api.example.com`, '--base-url <url>: Must be a URL.'],
    [`${INVITE} --base-url ftp://api.example.com`, '--base-url <url>: Must begin with http:// or https://.'],
    [`payment-apps add ${ID} New ""`, `<names...>: ${REQUIRED}`],
    [`payment-apps add ${ID} ${'😀'.repeat(251)}`, '<names...>: Must have at most 1000 bytes in UTF-8.'],
    [`keys issue ${ID} --label anna@example.com`, `--label <label>: ${LABEL}`],
    [
      `keys issue ${ID} --label ${API_KEY}`,
      '--label <label>: Must not contain an API key. If it is yours, have it revoked.',
    ],
    [
      `keys list ${ID} ${API_KEY}`,
      `too many arguments for 'list'. Expected 1 argument but got 2: ${ID}, apk_…. ${HINT}`,
    ],
    [`keys revoke ${ID} ${API_KEY}`, `<key-id>: Must be the 12 hex digits from "keys list", not the key itself.`],
    ...['24', '1.5h', '-1h', '99999d', '24H'].map((overlap) => [
      `keys rotate ${ID} ${KEY_ID} --overlap=${overlap}`,
      `--overlap <duration>: ${DURATION}`,
    ]),
    [
      `people invite --acquirer ${ID} --email anna --role admin`,
      '--email <address>: Must be an e-mail address, such as name@example.com.',
    ],
    [
      `people invite --acquirer ${ID} --email anna@example.com --role till`,
      `option '--role <role>' argument 'till' is invalid. Allowed choices are viewer, operator, admin. ${HINT}`,
    ],
    [`people remove anna@example.com --acquirer ${ID}`, '<person-id>: Must be the UUID from "people list".'],
    [`people sign-out --acquirer ${ID} --person anna`, '--person <person-id>: Must be the UUID from "people list".'],
    [`find ${API_KEY}`, `[text]: ${NO_KEY}`],
    [`history ${API_KEY}`, `<text>: ${NO_KEY}`],
    ['find', ONE_TEXT],
    ['find x --api-key-stdin', ONE_TEXT],
    ['find x --acquirer Payfair', 'add --at to --acquirer.'],
    ['find x --at 03:12', '--at <time>: Must be a time in UTC, such as 2026-03-01T03:12Z.'],
    ['find x --at 2026-02-30T03:12Z', '--at <time>: Must be a time that exists.'],
    ['find --api-key-stdin', ONE_KEY, 'DEMOTERM1'],
    ['find --api-key-stdin', ONE_KEY, `${API_KEY}\n${API_KEY}`],
    [`members show ${CARD_NUMBER}`, `<member-id>: ${NO_CARD_NUMBER}`],
    [`history ${ID} --limit 0`, `--limit <count>: ${COUNT}`],
    [`history ${ID} --before yesterday`, '--before <event-id>: Must be a UUID.'],
    [`cards block anna ${CARD_NUMBER}`, '[card]: Must be the 12 hex digits from "members show", not a card_id.'],
    ['cards block anna', ONE_CARD],
    [`cards block anna ${KEY_ID} --card-id-stdin`, ONE_CARD],
    ['cards block anna --card-id-stdin', ONE_LINE, ' \n'],
    ['cards block anna --card-id-stdin', ONE_LINE, 'card-1\ncard-2\n'],
  ])('%s', async (command, line, input = '') => {
    await expectFailure(argsOf(command), `Wrong usage: ${line}`, 2, { input });
  });
});

/** The ids of a payment provider, of its distributor and of an API key. */
let [payfair, northgate, keyId] = ['', '', ''];
/** One of the people of the payment provider. */
let person: SignedIn;
beforeAll(async () => {
  const { provider, distributor } = await newWorld();
  [payfair, northgate] = [provider.id, distributor.id];
  ({ key_id: keyId } = await issueApiKey(payfair, 'leaked'));
  await addNames(provider, { paymentApps: ['One', 'Two'] });
  person = await personOf(payfair, 'admin');
  await addCard('anna', { card_id: 'card-anna', card_pseudo_token: 'token-anna' });
});

test.each([
  ...['members import -', 'members erase anna --yes'],
  ...[`cards block anna ${KEY_ID}`, 'cards rotate-key --yes', 'cards rehash --yes', 'history anna'],
])('a command about members changes nothing without the card HMAC key: %s', async (command) => {
  const line = `There is no secret nonesuch at ${process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER']}.`;
  await expectFailure([...command.split(' '), '--secret', 'nonesuch'], line);
});

const named = () => `API key ${keyId} "leaked" of Payfair (${payfair})`;
const place = `table ${process.env['TABLE_NAME']} at ${process.env['AWS_ENDPOINT_URL_DYNAMODB']}`;

/** The commands that remove something: their arguments, and what their prompts say. */
const COMMANDS: Record<string, () => [args: string, what: string]> = {
  'acquirers disable': () => [
    payfair,
    `disable Payfair (${payfair}), so that all its API keys are refused within 30 seconds`,
  ],
  'partnerships unlink': () => [
    `${northgate} ${payfair}`,
    `end the partnership of Northgate (${northgate}) and Payfair (${payfair}), so that Northgate cannot change what ` +
      `they share (branches: 0)`,
  ],
  'payment-apps remove': () => [`${payfair} One Two`, `remove the payment apps One, Two of Payfair (${payfair})`],
  'keys rotate': () => [
    `${payfair} ${keyId} --overlap 0m`,
    `rotate ${named()} without an overlap: the old key is refused within 30 seconds`,
  ],
  'keys revoke': () => [`${payfair} ${keyId}`, `revoke ${named()}, so that it is refused within 30 seconds`],
  'people remove': () => [
    `${person.id} --acquirer ${payfair}`,
    `remove Anna Example (${person.id}) from the people of Payfair (${payfair})`,
  ],
  'people sign-out': () => [
    `--acquirer ${payfair}`,
    `end all sessions of all people of Payfair (${payfair}), also those as other acquirers`,
  ],
  'people erase': () => [
    person.id,
    `erase Anna Example (${person.id}) for good, and remove them from Payfair (${payfair})`,
  ],
  'members erase': () => ['anna', 'erase the member anna for good (cards: 1, rewards: 0)'],
};

describe('a command asks for confirmation', () => {
  test.each(Object.entries(COMMANDS))(
    'and changes nothing if there is no terminal to confirm on: %s',
    async (name, of) => {
      const [args, what] = of();
      const line = `Confirmation needs an interactive terminal. Add --yes to ${what}, in ${place}.`;
      await expectFailure(`${name} ${args}`.split(' '), line);
    },
  );

  test.each([
    ['and changes nothing if the reply is no', 'n', 1],
    ['and changes nothing if the reply is just Enter', '\r', 1],
    ['and changes nothing if Ctrl-C is pressed', '\x03', 1],
    ['and runs if the reply is yes', 'y', 0],
  ])('%s', async (_, keys, exitCode) => {
    const { response, changed } = await storedBy(() => operator(['keys', 'revoke', payfair, keyId], { keys }));
    // Without control sequences.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with a control character
    const stderr = response.stderr.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
    expect(stderr).toContain(`Really revoke ${named()}, so that it is refused within 30 seconds, in ${place}?`);
    expect(response.exitCode).toBe(exitCode);
    if (exitCode === 0) return expect(Object.keys(changed)).not.toEqual([]);
    expect([response.stdout, changed]).toEqual(['', {}]);
    expect(response.stderr).toMatch(/Nothing was changed\.\n$/);
  });
});
