import { randomBytes } from 'node:crypto';
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { fail, shutDownOnSignals, stops } from '../operate/shutdown.ts';
import type { Environment } from '../publish/site/settings.ts';
import { builtSite, filesOf } from '../publish/site/site.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../stack/localEnvironment.ts';
import type { Demo } from './demo.ts';
import { checkPort, freePort, startEngine, Unusable } from './engine.ts';
import { startFunctions } from './functions.ts';
import { listener } from './gateway.ts';
import { keepOwnFile, ownFolder, writeOwnFile } from './ownFiles.ts';
import { DEMO_PEOPLE } from './people.ts';
import { type Secrets, startSecretStore } from './secretStore.ts';
import { serve } from './serve.ts';
import { type Files, withSite } from './siteFiles.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEFAULT_PORT = '3000';

/** Checks an option's value. Commander prints what is wrong, and ends with exit code 1. */
const checked = (isValid: (value: string) => boolean, rule: string) => (value: string) => {
  if (!isValid(value)) throw new InvalidArgumentError(`It must be ${rule}.`);
  return value;
};
const isNumberUpTo = (most: number) => (value: string) => /^[1-9]\d{0,5}$/.test(value) && Number(value) <= most;
const isPort = isNumberUpTo(65_535);
const PORT_RULE = 'a port number from 1 to 65535';

const program = new Command('npm start --')
  .description('Runs the API and the docs site locally, on DynamoDB Local with demo data. Press Ctrl-C to stop.')
  .option('--data <folder>', 'keep the data and the card HMAC key in a folder (default: all data in memory)')
  .option(
    '--rate <count>',
    'limit each acquirer to this many requests per second, with bursts of twice as many',
    checked(isNumberUpTo(999_999), 'a whole number from 1 to 999999'),
  )
  .option(
    '--issuer-port <port>',
    "port where demo people sign in (default: the one after the API's, if it is free)",
    checked(isPort, PORT_RULE),
  )
  .option('--demo <file>', "write the demo's API keys to this file", '.local/demo.json')
  .addHelpText(
    'after',
    `
Environment variables:
  PORT                       port of the API (default: ${DEFAULT_PORT})
  AWS_ENDPOINT_URL_DYNAMODB  use this DynamoDB-compatible engine instead of starting one`,
  );

/** Registers what was started to be stopped at the end. */
function stoppable<T extends { stop: () => Promise<void> }>(started: T): T {
  stops.push(started.stop);
  return started;
}

const newSecret = (): string => randomBytes(32).toString('base64url');

const ACCESS_KEY = 'access-key';

/** A folder for data. With an access key in it, it is that of an earlier run. */
function dataFolder(folder: string): string {
  ownFolder(folder, existsSync(join(folder, ACCESS_KEY)));
  return folder;
}

/** The secrets that functions read. With a folder, the card key is in a file there, because the cards there are stored under it. */
function secretsFor(clientSecret: string, folder: string | undefined): Secrets {
  const { CARD_HMAC_KEY_SECRET, CLIENT_CREDENTIAL_SECRET, SEALING_KEY_SECRET } = LOCAL_ENVIRONMENT;
  const secrets = { ...LOCAL_SECRETS, [CLIENT_CREDENTIAL_SECRET]: clientSecret, [SEALING_KEY_SECRET]: newSecret() };
  if (folder === undefined) return secrets;
  const file = join(dataFolder(folder), 'card-hmac-key');
  const initial = secrets[CARD_HMAC_KEY_SECRET];
  keepOwnFile(file);
  return Object.defineProperty(secrets, CARD_HMAC_KEY_SECRET, {
    get: () => (existsSync(file) ? readFileSync(file, 'utf8') : initial),
    set: (text: string) => writeOwnFile(file, text),
  });
}

/** The access key id of a folder's data, which is kept there. */
function accessKeyIn(folder: string): string {
  const file = join(dataFolder(folder), ACCESS_KEY);
  if (!existsSync(file)) writeOwnFile(file, LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID);
  keepOwnFile(file);
  return readFileSync(file, 'utf8');
}

/** The payment provider as which the guides act. */
const payfairIn = ({ acquirers }: Demo) => acquirers.find(({ name }) => name === 'Payfair');

function welcome(demo: Demo, base_url: string, demoFile: string, log: string): string {
  const { acquirers, members } = demo;
  const rows = acquirers.map(({ type, name, api_key }) => `  ${type.padEnd(17)} ${name.padEnd(23)} ${api_key}`);
  const people = DEMO_PEOPLE.map(
    ({ name, email, roles }) => `  ${name.padEnd(17)} ${email.padEnd(23)} ${roles.join(', ')}`,
  );
  return `
Acquirer Partner API at ${base_url}
Guides and interactive reference: ${base_url}/

Demo acquirers and their API keys:
${rows.join('\n')}

First request:
  curl -H 'API-KEY: ${payfairIn(demo)?.api_key}' '${base_url}/ext/api/v1/merchants?per_page=3'

Console for people: ${base_url}/console, as one of:
${people.join('\n')}

${demoFile} has all of this, and ${members.length} members for member checks. The server logs to ${log}.
Press Ctrl-C to stop.
`;
}

const urlOf = (port: number | string): string => `http://127.0.0.1:${port}`;

/**
 * The docs site of this server. All ports share a build, which takes all cores for seconds.
 *
 * @param api_key The key with which the reference sends requests.
 */
async function siteOf(base_url: string, api_key: string | undefined, signal: AbortSignal): Promise<Files> {
  const built = urlOf(DEFAULT_PORT);
  const server: Environment = { name: 'This server', base_url: built, can_send: true, has_console: true };
  const SITE_ENVIRONMENTS = JSON.stringify([server]);
  const files = filesOf(await builtSite({ ...process.env, SITE_ENVIRONMENTS }, signal));
  for (const [path, content] of files)
    if (content.includes(built)) files.set(path, Buffer.from(String(content).replaceAll(built, base_url)));
  const settings = { environments: [{ ...server, base_url }], api_key };
  return files.set('settings.json', Buffer.from(JSON.stringify(settings)));
}

async function main(): Promise<void> {
  type Options = { data?: string; rate?: string; issuerPort?: string; demo: string };
  const { data, rate, issuerPort, demo: demoFile } = program.parse().opts<Options>();
  const { PORT = DEFAULT_PORT } = process.env;
  if (!isPort(PORT)) throw new Unusable(`PORT must be ${PORT_RULE}, not "${PORT}".`);
  const port = await checkPort(Number(PORT));
  const base_url = urlOf(port);
  const limit = rate === undefined ? null : { rate: Number(rate), burst: 2 * Number(rate) };

  const endpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  const environment = {
    // Of another engine, the database that it has had from the first start.
    AWS_ACCESS_KEY_ID: endpoint ? 'local' : data ? accessKeyIn(data) : LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: '',
  };
  // Loaded only now, so that wrong usage is said at once, and while Java starts.
  const [engine, { createTable }, { loadDemo }, { startIssuer }] = await Promise.all([
    endpoint ? undefined : startEngine(data).then(stoppable),
    import('./table.ts'),
    import('./demo.ts'),
    import('./issuer.ts'),
  ]);
  const clientSecret = newSecret();
  const secretStore = stoppable(await startSecretStore(secretsFor(clientSecret, data)));
  const { issuer } = stoppable(
    await startIssuer({
      // Stored people are bound to its URL, so with `--data` it must not change.
      port: issuerPort
        ? await checkPort(Number(issuerPort), '--issuer-port <port>')
        : await checkPort(port + 1).catch(freePort),
      redirectUri: `${base_url}/console/callback`,
      clientId: LOCAL_ENVIRONMENT.CLIENT_ID,
      clientSecret,
      people: DEMO_PEOPLE,
    }),
  );
  environment.AWS_ENDPOINT_URL_DYNAMODB ??= engine?.endpoint;
  environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = secretStore.endpoint;
  const limited = limit && { RATE: String(limit.rate), BURST: String(limit.burst) };
  Object.assign(process.env, LOCAL_ENVIRONMENT, limited, environment, { BASE_URL: base_url, ISSUER: issuer });
  await createTable(LOCAL_ENVIRONMENT.TABLE_NAME);

  const folder = dirname(demoFile);
  ownFolder(folder, basename(folder) === '.local');
  rmSync(demoFile, { force: true });
  const log = join(folder, 'server.log');
  writeOwnFile(log, '');
  const functions = stoppable(
    startFunctions({
      script: fileURLToPath(new URL('functionsProcess.ts', import.meta.url)),
      root: ROOT,
      watched: ['docs/client', 'functions', 'infra/stack', 'lib'],
      log: openSync(log, 'w'),
    }),
  );
  const demo = await loadDemo();
  // The reference needs these settings to send requests, as the payment provider of the guides.
  const building = new AbortController();
  stops.push(async () => building.abort());
  // Only now, because it takes all cores for seconds.
  const files = siteOf(base_url, payfairIn(demo)?.api_key, building.signal);
  files.catch(fail);
  stoppable(await serve(withSite(files, listener(functions.respond)), port));
  const people = DEMO_PEOPLE.map(({ name, email, roles }) => ({ name, email, roles }));
  const written = { base_url, issuer, limit, environment, ...demo, people };
  writeOwnFile(demoFile, `${JSON.stringify(written, null, 2)}\n`);
  process.stdout.write(welcome(demo, base_url, demoFile, log));
}

shutDownOnSignals(0);
main().catch(fail);
