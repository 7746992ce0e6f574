import * as v from 'valibot';
import { hashOf, isWellFormedApiKey } from '../base/apiKeyFormat.ts';
import { CACHE_MS, Cache } from '../base/cache.ts';
import { storedText } from '../base/fields.ts';
import { extend, keyId, seconds, time } from '../base/values.ts';
import { apiKeyKey } from '../table/keys.ts';
import { acquirerFields } from './acquirer.ts';
import { readCredential } from './credential.ts';
import { keyRole } from './roles.ts';

/** The public data of an API key. The key itself is shown only when it is issued. */
export const keyInfo = v.object({
  /** Identifies the key in commands and logs. */
  key_id: keyId,
  /** The operator's name for the key, such as `production`. A rotation keeps the label. */
  label: storedText,
  /** Absent for `full`, the role of most keys. */
  role: v.optional(keyRole),
  created_at: time,
  /** Only rotated keys expire. */
  expires_at: v.optional(time),
});
export type KeyInfo = v.InferOutput<typeof keyInfo>;

/** The stored item by which requests find an API key. Exists while the key is valid. */
const apiKey = extend(v.omit(keyInfo, ['created_at']), { acquirer: acquirerFields });
export type ApiKey = v.InferOutput<typeof apiKey>;
export const apiKeyItem = extend(apiKey, { ttl: v.optional(seconds) });

/** Valid keys. A revoked key works until it expires from this cache. */
const cache = new Cache<ApiKey>(10_000);

/** The `key_id` of the key with this hash. */
export const keyIdOf = (sha256: string): string => sha256.slice(0, 12);

/**
 * Resolves an API key to its acquirer. Returns `undefined` if the key is not valid. Costs no read if it is malformed or
 * cached (for {@link CACHE_MS}). Only valid keys are cached, so a new key works at once.
 */
export async function resolveApiKey(text: string): Promise<ApiKey | undefined> {
  if (!isWellFormedApiKey(text)) return undefined;
  const sha256 = hashOf(text);
  const cached = cache.get(sha256);
  if (cached) return cached;
  const apiKey = await readCredential<ApiKey>(apiKeyKey(sha256));
  // DynamoDB deletes expired items only hours later.
  const left = apiKey?.expires_at ? Date.parse(apiKey.expires_at) - Date.now() : CACHE_MS;
  if (!apiKey || left <= 0) return undefined;
  cache.set(sha256, apiKey, left);
  return apiKey;
}
