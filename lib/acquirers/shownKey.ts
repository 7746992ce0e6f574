import * as v from 'valibot';
import { extend, field, shownAs, shownKeyId, shownText, time } from '../base/values.ts';
import type { IssuedKey, UsedKey } from './keyring.ts';
import { keyRole } from './roles.ts';

export const shownKey = v.object({
  key_id: field(shownKeyId, 'Id of the key.'),
  label: field(shownText, 'Your name for the key. It is in events and logs.'),
  role: field(keyRole, 'What the key may do.'),
  created_at: field(time, 'When the key was created (RFC 3339, UTC).'),
  ends_with: field(shownText, 'The last four characters of the key.'),
  replaces: field(v.nullable(shownKeyId), 'Id of the key that it replaced by a rotation; otherwise `null`.'),
  last_used_at: field(
    v.nullable(time),
    'When the key was last used. Later uses, up to two hours after this time, may be missing. `null` if it was not ' +
      'used.',
  ),
  expires_at: field(v.nullable(time), 'When the key ends, after a rotation; otherwise `null`.'),
});

export const toShownKey = (key: UsedKey): v.InferOutput<typeof shownKey> => shownAs(shownKey, key);

/** A new key in a response: the only one that shows the key itself. */
export const shownIssuedKey = extend(v.omit(shownKey, ['last_used_at']), {
  api_key: field(shownText, 'The key itself. It is never shown again.'),
});

export const toShownIssuedKey = (key: IssuedKey): v.InferOutput<typeof shownIssuedKey> => shownAs(shownIssuedKey, key);

export const shownRotatedKey = extend(shownIssuedKey, {
  rotated: field(
    v.object({ key_id: shownKeyId, expires_at: v.nullable(time) }),
    'The earlier key, and when it ends; `null` if it has ended.',
  ),
});
