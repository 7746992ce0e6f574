import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Option } from 'commander';
import type { AcquirerType } from '../../../../lib/acquirers/acquirer.ts';
import type { KeyInfo } from '../../../../lib/acquirers/apiKey.ts';
import type { Keyring, UsedKey } from '../../../../lib/acquirers/keyring.ts';
import type { KeyRole } from '../../../../lib/acquirers/roles.ts';
import { toShownKey } from '../../../../lib/acquirers/shownKey.ts';
import { keyLabel, storedText } from '../../../../lib/base/fields.ts';
import type { ReferenceData } from '../../../../lib/operator/referenceData.ts';
import type { Group } from '../command.ts';
import { baseUrl, limitIn, option, url, wholeNumber } from '../input.ts';
import { acquirerNamed, withName } from '../names.ts';
import { acquirerDocument, columns, limitText, nameAndId, PARTNERS, TYPES } from '../output.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';
import { keyRole, shown } from './keys.ts';
import { dataName, inTransactions, namesOf } from './referenceData.ts';

const HELP = `
Registers an acquirer, makes it a partner of others, adds its reference data, sets its limit and issues an API key. Prints a
text for the partner and, apart from it, the key. If the command is interrupted, run it again with the same options: it
completes what is missing. It issues no key if the acquirer has one with this label.

Example:
  $ npm run operator -- acquirers onboard --type PAYMENT_PROVIDER --name Payfair --partner 'Northgate Distribution' \\
      --payment-app 'Checkout Go' --payment-app 'Counter Plus' --rate 50 --label production --stage prod`;

interface Options {
  type: AcquirerType;
  name: string;
  partner?: string[];
  paymentApp?: string[];
  masterAcquirer?: string[];
  rate?: number;
  burst?: number;
  label: string;
  role: KeyRole;
  baseUrl?: string;
  docsUrl?: string;
}

export const onboard: Group = (group) => {
  group
    .add('onboard', 'register an acquirer with partners, reference data, limit and API key; safe to repeat')
    .addOption(new Option('--type <type>', 'type of acquirer').choices(TYPES).makeOptionMandatory())
    .addOption(option('--name <name>', 'display name', storedText).makeOptionMandatory())
    .addOption(option('--partner <acquirer...>', 'name or id of a partner', storedText))
    .addOption(option('--payment-app <name...>', 'payment app that its terminals can have', dataName))
    .addOption(option('--master-acquirer <name...>', 'master acquirer that its terminals can have', dataName))
    .addOption(option('--rate <count>', "requests per second (default: the stage's limit)", wholeNumber))
    .addOption(option('--burst <count>', 'requests at once (default: twice the rate)', wholeNumber))
    .addOption(option('--label <label>', 'label of the API key, such as production', keyLabel).makeOptionMandatory())
    .addOption(keyRole())
    .addOption(option('--base-url <url>', "base URL of the API (default: the stage's own domain)", baseUrl))
    .addOption(option('--docs-url <url>', 'URL of the docs site (default: that of "npm start")', url))
    .addHelpText('after', HELP)
    .runs(run);
};

/** What the command has done, in order: what it is about, its value, and whether it was not there before. */
type Progress = [what: string, value: string, isNew: boolean][];

async function run({ target, print }: Session, options: Options): Promise<void> {
  const { type, name, label, baseUrl = target.baseUrl, docsUrl = target.docsUrl } = options;
  if (!baseUrl) throw new Stop("Wrong usage: add --base-url, the output BaseUrl of the stage's stack.", WRONG_USAGE);
  // All that may be refused comes before the first change.
  const limit = limitIn(options);
  const partners = await partnersOf(options);
  const registered = await registeredAs(options);

  const acquirer: Keyring = registered ?? (await service.createAcquirer({ id: randomUUID(), type, name }));
  const progress: Progress = [
    ['acquirer', `${nameAndId(acquirer)}, ${type}`, !registered],
    ...(await link(acquirer, partners)),
    ...(await addNames('payment app', acquirer, 'PAYMENT_APPS', options.paymentApp)),
    ...(await addNames('master acquirer', acquirer, 'MASTER_ACQUIRERS', options.masterAcquirer)),
  ];
  if (limit) {
    await service.limitAcquirer(acquirer.id, limit);
    progress.push(['limit', limitText(limit), !isDeepStrictEqual(limit, acquirer.limit)]);
  }
  const existing = keyWith(label, await service.listApiKeys(acquirer.id));
  const issued = existing ? undefined : await service.issueApiKey(acquirer.id, label, options);
  const { key_id, role } = (issued ?? existing) as UsedKey;
  progress.push(['API key', `${key_id} "${label}", ${role}`, !existing]);

  await print(
    {
      acquirer: acquirerDocument(await service.getAcquirer(acquirer.id)),
      base_url: baseUrl,
      docs_url: docsUrl ?? null,
      done: progress.filter(([, , isNew]) => isNew).map(([what, value]) => `${what}: ${value}`),
      api_key: issued ?? toShownKey(existing as UsedKey),
    },
    [
      columns(progress.map(([what, value, isNew]) => [what, value, isNew ? 'done' : 'was there already'])),
      ...(docsUrl ? [] : ['Add --docs-url to include the docs site.']),
      `To send to ${name}:`,
      handOver(acquirer.id, baseUrl, docsUrl),
      issued
        ? `To send apart from that, by a channel that shows it only once:\n\n${shown(issued, acquirer)}`
        : `No API key was issued, because ${key_id} has this label. It cannot be shown again. To replace it, run "keys rotate ${acquirer.id} ${key_id}".`,
    ].join('\n\n'),
  );
}

const handOver = (
  id: string,
  baseUrl: string,
  docsUrl: string | undefined,
): string => `  Base URL       ${baseUrl}${docsUrl ? `\n  Documentation  ${docsUrl}` : ''}
  Acquirer id    ${id}

  You will receive your API key separately. To try it, list your branches. There are none yet:

  curl -H "API-KEY: $API_KEY" ${baseUrl}/ext/api/v1/merchants`;

const keyWith = <K extends KeyInfo>(label: string, keys: K[]): K | undefined =>
  keys.find((key) => key.label === label && !key.expires_at);

/** The named partners, each once. @throws Stop if there is none with such a name, or it is of the acquirer's own type. */
async function partnersOf({ type, partner = [] }: Options): Promise<Keyring[]> {
  const named = await Promise.all(partner.map(acquirerNamed));
  const wrong = named.find((each) => each.type === type);
  if (wrong) throw new Stop(`${nameAndId(wrong)} is a ${type} too, so it cannot be a partner. Nothing was changed.`);
  return [...new Map(named.map((each) => [each.id, each])).values()];
}

/**
 * The acquirer with this name, if it is registered.
 *
 * @throws Stop if it is of another type or disabled, has such a key of another role, or can have no key with the label.
 */
async function registeredAs({ type, name, label, role }: Options): Promise<Keyring | undefined> {
  if (withName(await service.listAcquirers(), name).length === 0) return undefined;
  const acquirer = await acquirerNamed(name);
  const { disabled_at, api_keys = [] } = acquirer;
  const valid = api_keys.filter(({ expires_at }) => !expires_at || Date.parse(expires_at) > Date.now());
  const existing = keyWith(label, valid);
  const hasRole = existing?.role ?? 'full';
  const refusals: [isRefused: unknown, reason: string][] = [
    [acquirer.type !== type, `is a ${acquirer.type}, not a ${type}.`],
    [disabled_at, `has been disabled since ${disabled_at}.`],
    [
      existing && hasRole !== role,
      `has an API key "${label}" with the role ${hasRole}. Use that --role or another --label.`,
    ],
    [
      !existing && valid.length >= service.MOST_KEYS,
      `has ${valid.length} API keys, none of them "${label}". Revoke one.`,
    ],
  ];
  for (const [isRefused, reason] of refusals)
    if (isRefused) throw new Stop(`${nameAndId(acquirer)} ${reason} Nothing was changed.`);
  return acquirer;
}

async function link({ id, type }: Keyring, partners: Keyring[]): Promise<Progress> {
  const before = (await service.listReferences({ id }, PARTNERS[type])).map((partner) => partner.id);
  for (const partner of partners)
    await (type === 'DISTRIBUTOR' ? service.linkPartners(id, partner.id) : service.linkPartners(partner.id, id));
  return partners.map((partner) => ['partner', nameAndId(partner), !before.includes(partner.id)]);
}

async function addNames(what: string, owner: Keyring, kind: ReferenceData, names: string[] = []): Promise<Progress> {
  const before = await namesOf(owner, kind);
  await inTransactions(names, (some) => service.addReferenceData(owner.id, kind, some));
  return [...new Set(names)].map((name) => [what, name, !before.includes(name)]);
}
