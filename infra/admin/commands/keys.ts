import type { Argument } from 'commander';
import * as v from 'valibot';
import type { KeyInfo } from '../../../lib/acquirers/apiKey.ts';
import { storedText } from '../../../lib/base/fields.ts';
import type { IssuedKey } from '../../../lib/operator/apiKeys.ts';
import { acquirerId, argument, option } from '../input.ts';
import { nameAndId, refusedWithin, table } from '../output.ts';
import type { Group, Service } from '../session.ts';

/** A key as `--json` prints it. */
export const keyDocument = ({ expires_at, ...info }: KeyInfo) => ({ ...info, expires_at: expires_at ?? null });

export const keyTable = (keys: KeyInfo[]): string =>
  table(
    ['KEY ID', 'LABEL', 'CREATED', 'EXPIRES'],
    keys.map(({ key_id, label, created_at, expires_at = '' }) => [key_id, label, created_at, expires_at]),
  );

/** The format of a key_id. */
export const KEY_ID = /^[\da-f]{12}$/;

const keyId = (): Argument =>
  argument(
    '<key-id>',
    'id from "keys list"',
    v.pipe(v.string(), v.regex(KEY_ID, 'Must be the 12 hex digits from "keys list", not the key itself.')),
  );

/** The label is logged with every request, so characters of email addresses and full names are not allowed. */
const label = v.pipe(
  storedText,
  v.regex(/^[\w.-]{1,64}$/, 'Must be 1 to 64 of 0-9, A-Z, a-z, dot, hyphen and underscore, such as production.'),
);

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const duration = v.pipe(
  v.string(),
  v.regex(/^\d{1,4}[mhd]$/, 'Must be a number of minutes, hours or days, such as 90m, 24h or 7d.'),
  v.transform((value) => Number(value.slice(0, -1)) * (UNITS[value.slice(-1)] ?? 0)),
);

/** Puts the key on a line of its own. It is never shown again. */
const shown = ({ key_id, label, api_key }: IssuedKey): string =>
  `API key ${key_id} "${label}". It works immediately and is never shown again:\n\n${api_key}`;

/** Describes a key for messages. Does not check that it exists; the service does. */
async function nameOf({ getAcquirer, listApiKeys }: Service, acquirer: string, id: string): Promise<string> {
  const [registered, keys] = await Promise.all([getAcquirer(acquirer), listApiKeys(acquirer)]);
  const label = keys.find(({ key_id }) => key_id === id)?.label;
  return `API key ${id}${label ? ` "${label}"` : ''} of ${nameAndId(registered)}`;
}

export const keys: Group = (program, action) => {
  const group = program.command('keys').description('API keys of acquirers');

  group
    .command('issue')
    .description('issue another API key; it is shown once')
    .addArgument(acquirerId())
    .addOption(option('--label <label>', 'label, such as production', label).makeOptionMandatory())
    .action(
      action(async ({ service, print }, acquirer: string, { label }: { label: string }) => {
        const issued = await service.issueApiKey(acquirer, label);
        await print(issued, shown(issued));
      }),
    );

  group
    .command('list')
    .description("list an acquirer's API keys, without the keys themselves")
    .addArgument(acquirerId())
    .action(
      action(async ({ service, print }, acquirer: string) => {
        const infos = await service.listApiKeys(acquirer);
        await print(infos.map(keyDocument), keyTable(infos));
      }),
    );

  group
    .command('rotate')
    .description('issue a successor with the same label; the old key stays valid for a while')
    .addArgument(acquirerId())
    .addArgument(keyId())
    .addOption(
      option('--overlap <duration>', 'how long the old key stays valid, such as 90m, 24h, 7d or 0h', duration).default(
        UNITS['d'],
        '24h',
      ),
    )
    .action(
      action(async ({ service, print, confirm }, acquirer: string, id: string, { overlap }: { overlap: number }) => {
        const ending = refusedWithin(service);
        if (overlap === 0)
          await confirm(`rotate ${await nameOf(service, acquirer, id)} without an overlap: the old key is ${ending}`);
        const issued = await service.rotateApiKey(acquirer, id, overlap);
        const { expires_at } = issued.rotated;
        await print(
          issued,
          `${shown(issued)}\n\nThe old API key ${id} is ${expires_at ? `valid until ${expires_at}` : ending}.`,
        );
      }),
    );

  group
    .command('revoke')
    .description('revoke an API key')
    .addArgument(acquirerId())
    .addArgument(keyId())
    .action(
      action(async ({ service, print, confirm }, acquirer: string, id: string) => {
        const name = await nameOf(service, acquirer, id);
        await confirm(`revoke ${name}, so that it is ${refusedWithin(service)}`);
        await service.revokeApiKey(acquirer, id);
        await print({ key_id: id, revoked: true }, `Revoked ${name}: it is ${refusedWithin(service)}.`);
      }),
    );
};
