import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fail, shutDownOnSignals, stops } from '../operate/shutdown.ts';
import type { Environment } from '../publish/site/settings.ts';
import { builtSite, filesOf } from '../publish/site/site.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../stack/localEnvironment.ts';
import { isOrigin, ORIGIN_RULE } from '../stack/template/parameters.ts';
import type { Demo } from './demo.ts';
import { loadDemo } from './demo.ts';
import { checkPort, freePort, startEngine, Unusable } from './engine.ts';
import { type Files, startFront } from './front.ts';
import { type LocalIssuer, startIssuer } from './issuer.ts';
import { DEMO_PEOPLE, rolesOf } from './people.ts';
import { type Secrets, startSecretStore } from './secretStore.ts';
import { createTable } from './table.ts';

const HELP = `Runs the API and the docs site locally, on DynamoDB Local with demo data. Press Ctrl-C to stop.

  npm start                           keep all data in memory
  npm start -- --data <folder>        keep the data and the card HMAC key in a folder
  npm start -- --rate <count>         limit each acquirer to this many requests per second, with bursts of twice as many
  npm start -- --site <origin>        let the pages of the docs site on this origin send requests (CORS)
  npm start -- --issuer-port <port>   port where demo people sign in (default: the one after the API's, if it is free)
  npm start -- --demo <file>          write the demo's API keys to this file (default: .local/demo.json)

  PORT                                port of the API (default: 3000)
  AWS_ENDPOINT_URL_DYNAMODB           use this DynamoDB-compatible engine instead of starting one
`;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A busy machine with two cores has taken more than a minute. */
const STARTUP_MS = 180_000;

/**
 * Serves the routes of serverless.yml with serverless-offline. Its output goes to the file `log`.
 *
 * @returns What resolves once it has ended.
 */
async function serve(port: number, log: string): Promise<{ ended: Promise<unknown> }> {
  const output = openSync(log, 'w');
  const cli = join(ROOT, 'node_modules/serverless/bin/serverless.js');
  const ports = ['--httpPort', String(port), '--lambdaPort', String(await freePort())];
  const options = ['offline', 'start', '--stage', 'local', '--host', '127.0.0.1', ...ports, '--noSponsor'];
  const server = spawn(process.execPath, [cli, ...options], { cwd: ROOT, stdio: ['ignore', output, output] });
  const ended = once(server, 'exit');
  process.once('exit', () => server.kill('SIGKILL'));
  stops.push(async () => {
    server.kill('SIGTERM');
    await ended;
  });

  const deadline = Date.now() + STARTUP_MS;
  let status: number | undefined;
  while (status === undefined && server.exitCode === null && Date.now() < deadline) {
    await sleep(50);
    status = await statusOf(`http://127.0.0.1:${port}/ext/api/v1/merchants`);
  }
  // Without a key, a handler returns 401.
  if (status !== 401)
    throw new Unusable(`serverless-offline could not serve the routes of serverless.yml. See ${log}.`);
  return { ended };
}

/** Errors of a port that cannot be listened on. */
const UNUSABLE_PORT = ['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'];

const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Starts the issuer where the demo people sign in, on this port, or else on the one after the API's, or else on a free one.
 * Stored people are bound to its URL, so with `--data` it must not change.
 *
 * @returns Its URL.
 */
async function serveIssuer(issuerPort: string | undefined, port: number, clientSecret: string): Promise<string> {
  const startOn = (own: number): Promise<LocalIssuer> =>
    startIssuer({
      port: own,
      redirectUri: `http://127.0.0.1:${port}/console/callback`,
      clientId: LOCAL_ENVIRONMENT.CLIENT_ID,
      clientSecret,
      people: DEMO_PEOPLE,
    });
  const { issuer, stop } = await startOn(Number(issuerPort ?? port + 1)).catch((error: NodeJS.ErrnoException) => {
    if (!UNUSABLE_PORT.includes(error.code ?? '')) throw error;
    if (issuerPort === undefined) return startOn(0);
    throw new Unusable(`--issuer-port must be a free port, not "${issuerPort}" (${error.code}).`);
  });
  stops.push(stop);
  return issuer;
}

/** Keeps the card key in a file in the folder of the data, because the cards there are stored under it. */
function keepCardKey(secrets: Secrets, folder: string): void {
  const name = LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET;
  const file = join(folder, 'card-hmac-key');
  const initial = secrets[name];
  mkdirSync(folder, { recursive: true });
  Object.defineProperty(secrets, name, {
    get: () => (existsSync(file) ? readFileSync(file, 'utf8') : initial),
    set: (text: string) => writeFileSync(file, text),
  });
}

/** Builds the docs site in the background. */
function buildSite(): Promise<Files> {
  const building = new AbortController();
  stops.push(async () => building.abort());
  const files = builtSite(building.signal).then(filesOf);
  files.catch(fail);
  return files;
}

const statusOf = (url: string): Promise<number | undefined> =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );

function welcome({ acquirers, members }: Demo, apiKey: string, baseUrl: string, demoFile: string, log: string): string {
  const rows = acquirers.map(({ type, name, api_key }) => `  ${type.padEnd(17)} ${name.padEnd(23)} ${api_key}`);
  const people = DEMO_PEOPLE.map(
    (person) => `  ${person.name.padEnd(17)} ${person.email.padEnd(23)} ${rolesOf(person).join(', ')}`,
  );
  return `
Acquirer Partner API at ${baseUrl}
Guides and interactive reference: ${baseUrl}/

Demo acquirers and their API keys:
${rows.join('\n')}

First request:
  curl -H 'API-KEY: ${apiKey}' '${baseUrl}/ext/api/v1/merchants?per_page=3'

Console for people: ${baseUrl}/console, as one of:
${people.join('\n')}

${demoFile} has all of this, and ${members.length} members for member checks. The server logs to ${log}.
Press Ctrl-C to stop.
`;
}

function options() {
  try {
    return parseArgs({
      options: {
        data: { type: 'string' },
        demo: { type: 'string', default: '.local/demo.json' },
        rate: { type: 'string' },
        site: { type: 'string' },
        'issuer-port': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new Unusable(`${(error as Error).message} Try "npm start -- --help".`);
  }
}

/** The environment variables of the rate limit; none without a rate. */
function rateOf(rate: string | undefined) {
  if (rate === undefined) return {};
  if (!/^[1-9]\d{0,5}$/.test(rate))
    throw new Unusable(`--rate must be a whole number from 1 to 999999, not "${rate}".`);
  return { RATE: rate, BURST: String(2 * Number(rate)) };
}

function checkSite(origin: string | undefined): void {
  if (origin !== undefined && !isOrigin(origin)) throw new Unusable(`--site must be ${ORIGIN_RULE}, not "${origin}".`);
}

async function main(): Promise<void> {
  const values = options();
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }

  const port = Number(process.env['PORT'] ?? 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Unusable(`PORT must be a port number from 1 to 65535, not "${process.env['PORT']}".`);
  const rate = rateOf(values.rate);
  checkSite(values.site);
  await checkPort(port);
  const baseUrl = `http://127.0.0.1:${port}`;
  const site = buildSite();

  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const engine = await startEngine(values.data);
    stops.push(engine.stop);
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
  }
  const clientSecret = newSecret();
  const secrets = {
    ...LOCAL_SECRETS,
    [LOCAL_ENVIRONMENT.CLIENT_CREDENTIAL_SECRET]: clientSecret,
    [LOCAL_ENVIRONMENT.SEALING_KEY_SECRET]: newSecret(),
  };
  if (values.data) keepCardKey(secrets, values.data);
  const secretStore = await startSecretStore(secrets);
  stops.push(secretStore.stop);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = secretStore.endpoint;
  const issuer = await serveIssuer(values['issuer-port'], port, clientSecret);
  Object.assign(process.env, LOCAL_ENVIRONMENT, rate, { BASE_URL: baseUrl, PORT: String(port), ISSUER: issuer });
  await createTable(LOCAL_ENVIRONMENT.TABLE_NAME);
  mkdirSync(dirname(values.demo), { recursive: true });
  rmSync(values.demo, { force: true });
  const log = join(dirname(values.demo), 'server.log');
  const upstreamPort = await freePort();
  const [demo, { ended }] = await Promise.all([loadDemo(), serve(upstreamPort, log)]);
  const { api_key: apiKey = '' } = demo.acquirers.find(({ type }) => type === 'PAYMENT_PROVIDER') ?? {};
  // The reference needs these settings to send requests as one of the demo's acquirers.
  const environments: Environment[] = [{ name: 'This server, with demo data', base_url: baseUrl, can_send: true }];
  const settings = JSON.stringify({ environments, acquirers: demo.acquirers });
  const files = site.then((built) => new Map([...built, ['settings.json', settings]]));
  files.catch(fail);
  const front = await startFront(port, upstreamPort, files, values.site);
  stops.push(front.stop);
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SECRETS_MANAGER } = process.env;
  const environment = { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SECRETS_MANAGER };
  const limit = values.rate ? { rate: Number(rate.RATE), burst: Number(rate.BURST) } : null;
  const people = DEMO_PEOPLE.map((person) => ({ name: person.name, email: person.email, roles: rolesOf(person) }));
  const written = { base_url: baseUrl, issuer, limit, environment, ...demo, people };
  writeFileSync(values.demo, `${JSON.stringify(written, null, 2)}\n`);
  process.stdout.write(welcome(demo, apiKey, baseUrl, values.demo, log));
  await ended;
  throw new Unusable(`The server stopped. See ${log}.`);
}

shutDownOnSignals(0);
main().catch(fail);
