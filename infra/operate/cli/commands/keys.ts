import { type Argument, Option } from 'commander';
import * as v from 'valibot';
import type { Acquirer } from '../../../../lib/acquirers/acquirer.ts';
import type { IssuedKey, Keyring, UsedKey } from '../../../../lib/acquirers/keyring.ts';
import { KEY_ROLES, type KeyRole } from '../../../../lib/acquirers/roles.ts';
import { toShownKey } from '../../../../lib/acquirers/shownKey.ts';
import { keyLabel } from '../../../../lib/base/fields.ts';
import { keyId as keyIdValue } from '../../../../lib/base/values.ts';
import type { Group } from '../command.ts';
import { argument, option } from '../input.ts';
import { nameAndId, table, WITHIN } from '../output.ts';
import * as service from '../service.ts';

export const keyTable = (keys: UsedKey[]): string =>
  table(
    keys.map((key) => ({ ...key, last_used_at: key.last_used_at ?? 'none recorded' })),
    {
      'KEY ID': 'key_id',
      LABEL: 'label',
      ROLE: 'role',
      CREATED: 'created_at',
      'LAST USED': 'last_used_at',
      EXPIRES: 'expires_at',
    },
  );

const keyId = (): Argument =>
  argument(
    '<key-id>',
    'id from "keys list"',
    v.message(keyIdValue, 'Must be the 12 hex digits from "keys list", not the key itself.'),
  );

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const duration = v.pipe(
  v.string(),
  v.regex(/^\d{1,4}[mhd]$/, 'Must be a number of minutes, hours or days, such as 90m, 24h or 7d.'),
  v.transform((value) => Number(value.slice(0, -1)) * (UNITS[value.slice(-1)] ?? 0)),
);

const keyRole = (): Option =>
  new Option(
    '--role <role>',
    'what the key may do: till checks members, viewer reads, operator also creates and changes, full also deletes and checks members',
  )
    .choices(KEY_ROLES)
    .default('full');

/** Puts the key on a line of its own. It is never shown again. */
const shown = ({ key_id, label, role, api_key }: IssuedKey, owner: Acquirer): string =>
  `API key ${key_id} "${label}" of ${nameAndId(owner)}, with the role ${role}. It works immediately and is never shown again:\n\n${api_key}`;

/** Describes a key for messages. Does not check that it exists; the service does. */
function nameOf(owner: Keyring, id: string): string {
  const label = owner.api_keys?.find(({ key_id }) => key_id === id)?.label;
  return `API key ${id}${label ? ` "${label}"` : ''} of ${nameAndId(owner)}`;
}

export const keys: Group = (program) => {
  const group = program.add('keys', 'API keys of acquirers');

  group
    .addOnAcquirer('issue', 'issue another API key; it is shown once')
    .addOption(option('--label <label>', 'label, such as production', keyLabel).makeOptionMandatory())
    .addOption(keyRole())
    .runsOnAcquirer(async ({ print }, owner, { label, role }: { label: string; role: KeyRole }) => {
      const issued = await service.issueApiKey(owner.id, label, { role });
      await print(issued, shown(issued, owner));
    });

  group
    .addOnAcquirer('list', "list an acquirer's API keys, without the keys themselves")
    .runsOnAcquirer(async ({ print }, { id }) => {
      const infos = await service.listApiKeys(id);
      await print(infos.map(toShownKey), keyTable(infos));
    });

  group
    .addOnAcquirer('rotate', 'issue a successor with the same label and role; the old key stays valid for a while')
    .addArgument(keyId())
    .addOption(
      option('--overlap <duration>', 'how long the old key stays valid, such as 90m, 24h, 7d or 0h', duration).default(
        UNITS['d'],
        '24h',
      ),
    )
    .runsOnAcquirer(async ({ print, confirm }, owner, id: string, { overlap }: { overlap: number }) => {
      const ending = `refused ${WITHIN}`;
      if (overlap === 0) await confirm(`rotate ${nameOf(owner, id)} without an overlap: the old key is ${ending}`);
      const issued = await service.rotateApiKey(owner.id, id, overlap);
      const { expires_at } = issued.rotated;
      await print(
        issued,
        `${shown(issued, owner)}\n\nThe old API key ${id} is ${expires_at ? `valid until ${expires_at}` : ending}.`,
      );
    });

  group
    .addOnAcquirer('revoke', 'revoke an API key')
    .addArgument(keyId())
    .runsOnAcquirer(async ({ print, confirm }, owner, id: string) => {
      const name = nameOf(owner, id);
      await confirm(`revoke ${name}, so that it is refused ${WITHIN}`);
      await service.revokeApiKey(owner.id, id);
      await print({ key_id: id, revoked: true }, `Revoked ${name}: it is refused ${WITHIN}.`);
    });
};
