import { hkdfSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { EncryptJWT } from 'jose';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';
import { stopClocks } from '../../support/clock.ts';

const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
const secrets: Record<string, string> = { sealing: 'the first secret' };
let store: SecretStore;
let open: (sealed: string) => Promise<object | undefined>;
let seal: (content: object) => Promise<string>;

/** Rotates the sealing key, as Secrets Manager does: the text before is the previous one. */
function rotate(to: string): void {
  secrets['sealing AWSPREVIOUS'] = secrets['sealing'] as string;
  secrets['sealing'] = to;
}

beforeAll(async () => {
  store = await startSecretStore(secrets);
  Object.assign(process.env, { AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint, SEALING_KEY_SECRET: 'sealing' });
  ({ open, seal } = await import('../../../lib/people/seal.ts'));
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});
afterAll(async () => {
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
  await store.stop();
});

const MINUTE = 60_000;
/** Each test begins later than what the tests before have limited. */
let later = 0;
function goOn(): (milliseconds: number) => void {
  later += 120 * MINUTE;
  const start = later;
  const wait = stopClocks();
  wait(start);
  return (milliseconds) => wait(start + milliseconds);
}

/** Seals as lib/people/seal.ts does, with any secret, purpose and header. */
const sealWith = (
  secret: string,
  {
    purpose = 'sign-in cookie',
    enc = 'A256GCM',
    expires = true,
  }: { purpose?: string; enc?: string; expires?: boolean } = {},
) => {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, enc === 'A256GCM' ? 32 : 16));
  const jwt = new EncryptJWT({ content: { a: 1 } }).setProtectedHeader({ alg: 'dir', enc });
  return (expires ? jwt.setExpirationTime(Math.floor(Date.now() / 1000) + 600) : jwt).encrypt(key);
};

test('a sealed value can be opened, and shows nothing of its content', async () => {
  const sealed = await seal({ state: 'visible?' });
  expect(sealed).toMatch(/^[\w.-]+$/);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('visible');
  expect(await open(sealed)).toEqual({ state: 'visible?' });
});

test('a sealed value is not opened after 10 minutes', async () => {
  const sealed = await seal({ a: 1 });
  const now = Date.now();
  jest.useFakeTimers({ now: now + 590_000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'performance'] });
  expect(await open(sealed)).toEqual({ a: 1 });
  jest.setSystemTime(now + 601_000);
  expect(await open(sealed)).toBeUndefined();
});

test('a value that was changed, or sealed elsewhere or otherwise, is not opened', async () => {
  const sealed = await seal({ a: 1 });
  const parts = sealed.split('.');
  for (const index of [0, 2, 3, 4]) {
    const changed = [...parts];
    const part = Buffer.from(parts[index] as string, 'base64url');
    part[0] = (part[0] as number) ^ 1;
    changed[index] = part.toString('base64url');
    expect(await open(changed.join('.'))).toBeUndefined();
  }
  expect(await open(await sealWith('the first secret'))).toEqual({ a: 1 });
  expect(await open(await sealWith('another secret'))).toBeUndefined();
  expect(await open(await sealWith('the first secret', { purpose: 'sign-in address' }))).toBeUndefined();
  expect(await open(await sealWith('the first secret', { enc: 'A128GCM' }))).toBeUndefined();
  expect(await open(await sealWith('the first secret', { expires: false }))).toBeUndefined();
  for (const junk of ['', 'a', '....', 'a.b.c', `${parts[0]}..a.b.c`, 'é'.repeat(5000)])
    expect(await open(junk)).toBeUndefined();
});

test('a process that knows only the new key opens what was sealed with the previous one', async () => {
  const wait = goOn();
  rotate('the second secret');
  // After an hour, a process fetches the current text. It still knows the one before.
  wait(61 * MINUTE);
  expect(await open(await sealWith('the second secret'))).toEqual({ a: 1 });
  expect(await open(await sealWith('the first secret'))).toEqual({ a: 1 });
});

test('a process that knows only the previous key opens what was sealed with the new one', async () => {
  goOn();
  await seal({});
  rotate('the third secret');
  expect(await open(await sealWith('the third secret'))).toEqual({ a: 1 });
  expect(await open(await sealWith('the second secret'))).toEqual({ a: 1 });
  expect(await open(await sealWith('the first secret'))).toBeUndefined();
});

test('junk makes a process fetch the keys at most once a minute', async () => {
  const wait = goOn();
  await seal({});
  rotate('the fourth secret');
  await Promise.all([open('junk'), open('junk'), open('junk')]);
  rotate('the fifth secret');
  expect(await open(await sealWith('the fifth secret'))).toBeUndefined();
  wait(61_000);
  expect(await open(await sealWith('the fifth secret'))).toEqual({ a: 1 });
});

test('a previous key that cannot be fetched is an error, and is fetched again after a minute', async () => {
  const wait = goOn();
  await seal({ a: 1 });
  const previous = secrets['sealing'] as string;
  rotate('the sixth secret');
  const sealed = await sealWith('the sixth secret');
  secrets['sealing AWSPREVIOUS'] = '';
  await expect(open(sealed)).rejects.toThrow('The secret has no text.');
  // The current one was fetched.
  expect(await open(sealed)).toEqual({ a: 1 });
  secrets['sealing AWSPREVIOUS'] = previous;
  wait(61_000);
  expect(await open(await sealWith(previous))).toEqual({ a: 1 });
});
