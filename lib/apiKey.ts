import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { acquirerFields, acquirerItem } from './acquirer.ts';
import { isWellFormedApiKey } from './base/apiKeyFormat.ts';
import { CACHE_MS, Cache } from './base/cache.ts';
import { storedText } from './base/fields.ts';
import { hash, keyId, seconds, time } from './base/values.ts';
import { getItem } from './table/client.ts';
import { apiKeyKey } from './table/keys.ts';

/** What can be shown of an API key. The key itself is only shown when it is issued. */
const keyInfo = v.object({
  /** Identifies the key in commands and logs, and has no other use. */
  key_id: keyId,
  /** What the operator calls it, such as `production`. A key keeps its label when it is rotated. */
  label: storedText,
  created_at: time,
  /** Only a key that was rotated expires. */
  expires_at: v.optional(time),
});
export type KeyInfo = v.InferOutput<typeof keyInfo>;

/** The stored item by which requests find an API key. Exists while the key is valid. */
const apiKey = v.object({
  acquirer: acquirerFields,
  ...v.omit(keyInfo, ['created_at']).entries,
});
export type ApiKey = v.InferOutput<typeof apiKey>;
export const apiKeyItem = v.object({ ...apiKey.entries, ttl: v.optional(seconds) });

/** The stored item of an acquirer with its API keys, which are listed there even while the acquirer is disabled. */
export const keyringItem = v.object({
  ...acquirerItem.entries,
  api_keys: v.optional(v.array(v.object({ ...keyInfo.entries, sha256: hash }))),
});
export type Keyring = v.InferOutput<typeof keyringItem>;
export type Listed = NonNullable<Keyring['api_keys']>[number];

/** Keys that this process has found. A revoked one is refused when its time here is over. */
const known = new Cache<ApiKey>();

/** Only this is stored of a key; 256 random bits need no slow hash. */
export const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/**
 * The API key that a text is, with its acquirer (interface §5), or `undefined`. Junk costs no read, a known key none
 * within {@link CACHE_MS}, anything else one. Only hits are cached, so a new key works at once.
 */
export async function resolveApiKey(text: string): Promise<ApiKey | undefined> {
  if (!isWellFormedApiKey(text)) return undefined;
  const sha256 = hashOf(text);
  const kept = known.get(sha256);
  if (kept) return kept;
  const apiKey = await getItem<ApiKey>(apiKeyKey(sha256));
  // The table deletes what has expired only hours later.
  const ends = apiKey?.expires_at ? Date.parse(apiKey.expires_at) : Number.POSITIVE_INFINITY;
  if (!apiKey || ends <= Date.now()) return undefined;
  known.set(sha256, apiKey, ends);
  return apiKey;
}
