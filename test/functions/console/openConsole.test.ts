import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

const ASSETS = '/console/assets/';

let open: (path: string, headers?: Record<string, string>) => Promise<APIGatewayProxyStructuredResultV2>;
beforeAll(async () => {
  process.env['STAGE'] = 'staging';
  const { handler } = await import('../../../functions/console/openConsole.ts');
  open = async (path, headers = {}) => {
    const [, rest] = /^\/console\/(.*)$/.exec(path) ?? [];
    const event = {
      routeKey: rest === undefined ? 'GET /console' : 'GET /console/{path+}',
      ...(rest !== undefined && { pathParameters: { path: rest } }),
      headers,
      requestContext: { http: { method: 'GET', path } },
    };
    return handler(event as unknown as APIGatewayProxyEventV2, { awsRequestId: 'request' } as Context);
  };
});

const textOf = ({ body = '', headers }: APIGatewayProxyStructuredResultV2): string => {
  const bytes = Buffer.from(body, 'base64');
  const decode = { gzip: gunzipSync, br: brotliDecompressSync }[String(headers?.['content-encoding'])];
  return (decode ? decode(bytes) : bytes).toString();
};

/** The assets that the page loads first. */
async function assets(): Promise<string[]> {
  const { body = '' } = await open('/console');
  return [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

describe('the page', () => {
  test.each(['/console', '/console/b0000000-0000-4000-8000-000000000001/branches/A%2FB', '/console/anything'])(
    '200: %s is the page, which nothing may store, frame or extend',
    async (path) => {
      const { statusCode, headers, body = '', isBase64Encoded } = await open(path);
      const [, nonce = ''] = /nonce="([^"]+)"/.exec(body) ?? [];
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect({ statusCode, headers, isBase64Encoded }).toEqual({
        statusCode: 200,
        isBase64Encoded: undefined,
        headers: {
          'cache-control': 'no-store',
          'content-security-policy':
            `default-src 'none'; script-src 'nonce-${nonce}' 'wasm-unsafe-eval'; style-src 'self' ` +
            `'nonce-${nonce}'; font-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; ` +
            `form-action 'none'; frame-ancestors 'none'`,
          'content-type': 'text/html; charset=utf-8',
          'cross-origin-opener-policy': 'same-origin',
          'permissions-policy':
            'camera=(self), geolocation=(), microphone=(), payment=(), publickey-credentials-get=()',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-request-id': 'request',
        },
      });
      expect(body).toContain('data-stage="staging"');
      expect(body).toContain('data-sign-in="https://api.example.com/console/sign-in"');
    },
  );

  test('has another nonce in each response', async () => {
    const nonces = await Promise.all(
      [1, 2, 3].map(async () => /nonce="([^"]+)"/.exec((await open('/console')).body ?? '')?.[1]),
    );
    expect(new Set(nonces).size).toBe(3);
  });
});

describe('an asset', () => {
  test('200: is in the best encoding that the browser accepts, and may be kept', async () => {
    const [style = ''] = (await assets()).filter((path) => path.endsWith('.css'));
    const zipped = await open(style, { 'accept-encoding': 'gzip, deflate' });
    const smaller = await open(style, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect([zipped, smaller].map(({ headers }) => headers?.['content-encoding'])).toEqual(['gzip', 'br']);
    expect(textOf(zipped)).toBe(textOf(smaller));
    expect(textOf(zipped)).toContain('mantine');
    expect(zipped).toMatchObject({
      statusCode: 200,
      isBase64Encoded: true,
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/css; charset=utf-8',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
      },
    });
  });

  test('200: the font is not compressed again', async () => {
    const [font = ''] = (await assets()).filter((path) => path.endsWith('.woff2'));
    const { headers, body = '' } = await open(font, { 'accept-encoding': 'gzip, br' });
    expect(headers).toMatchObject({ 'content-type': 'font/woff2' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(Buffer.from(body, 'base64').subarray(0, 4).toString()).toBe('wOF2');
  });

  test('the first view takes at most 270 KB in four files, and what comes later at most 60 KB a file but for what reads codes', async () => {
    const { app } = await import('#console-app');
    const first = await assets();
    const sizeOf = (name: string): number => {
      const bodies = app.assets[name]?.bodies as { gzip?: string; identity?: string };
      return Buffer.from(bodies.gzip ?? bodies.identity ?? '', 'base64').length;
    };
    const names = first.map((path) => path.split('/').at(-1) as string);
    const later = Object.keys(app.assets).filter((name) => !names.includes(name));
    expect(names.length).toBeLessThanOrEqual(4);
    expect(names.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(270_000);
    const large = later.filter((name) => sizeOf(name) > 60_000);
    expect(large).toEqual([expect.stringMatching(/^zxing_reader-.*\.wasm$/)]);
    expect(sizeOf(large[0] as string)).toBeLessThan(480_000);
    expect(app.assets[large[0] as string]).toMatchObject({ type: 'application/wasm' });
  });

  test('the style has that of each component of Mantine that the scripts have, and of no other', async () => {
    const { app } = await import('#console-app');
    const scripts = await Promise.all(
      Object.keys(app.assets).map(async (name) => (/\.js$/.test(name) ? textOf(await open(`${ASSETS}${name}`)) : '')),
    );
    const used = new Set(scripts.join('').match(/\bm_[0-9a-f]+\b/g));
    const styles = dirname(
      createRequire(resolve('functions/console/app/package.json')).resolve('@mantine/core/styles.css'),
    );
    const all = readFileSync(`${styles}/styles.css`, 'utf8');
    const places = globSync('styles/*.css', { cwd: styles, exclude: ['**/*.layer.css'] }).map((path) => {
      const text = readFileSync(join(styles, path), 'utf8');
      const classes = text.match(/\bm_[0-9a-f]+\b/g);
      return { path, at: all.indexOf(text.trim()), isUsed: classes?.some((name) => used.has(name)) ?? true };
    });
    const inUse = places.filter(({ isUsed }) => isUsed).sort((one, other) => one.at - other.at);
    const mantine = readFileSync('functions/console/app/mantine.css', 'utf8');
    const imported = [...mantine.matchAll(/^@import "@mantine\/core\/(.*)";$/gm)].map(([, path]) => path);
    expect(imported).toEqual(inUse.map(({ path }) => path));
  });

  test.each(['/console/assets/main-OLD.js', '/console/assets/__proto__', '/console/assets/../app/main.tsx'])(
    '404: %s is no file',
    async (path) => {
      const { statusCode, headers, body = '' } = await open(path);
      expect([statusCode, headers?.['cache-control'], JSON.parse(body)]).toMatchObject([
        404,
        'no-store',
        { code: 'not_found', detail: 'There is no such file. The console may have changed: reload the page.' },
      ]);
    },
  );
});

test('404: an unknown operation is no page', async () => {
  const { statusCode, body = '' } = await open('/console/api/unknown');
  expect([statusCode, JSON.parse(body)]).toMatchObject([
    404,
    { code: 'not_found', detail: 'There is no such operation.' },
  ]);
});
