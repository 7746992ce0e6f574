import { randomBytes } from 'node:crypto';
import { app } from '#console-app';
import { setting } from '../../lib/base/config.ts';
import { Problem } from '../../lib/base/problem.ts';
import { documentHeaders } from '../../lib/http/documentHeaders.ts';
import type { Incoming, Response } from '../../lib/http/middleware.ts';
import { publicFile } from '../../lib/http/publicFile.ts';
import { urlOf } from '../../lib/http/response.ts';

const ASSETS = '/console/assets';

/** The page of every view. Only scripts and styles with the nonce run, and what they load. */
function page(): Response {
  const nonce = randomBytes(16).toString('base64');
  const modules = app.modules.map((name) => `<link rel="modulepreload" nonce="${nonce}" href="${ASSETS}/${name}">`);
  return {
    statusCode: 200,
    headers: {
      ...documentHeaders(
        [
          // Where the browser reads no codes itself, WebAssembly does: app/shared/camera.ts.
          `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
          `style-src 'self' 'nonce-${nonce}'`,
          "font-src 'self'",
          "img-src 'self'",
          "connect-src 'self'",
          "worker-src 'self'",
        ],
        { camera: '(self)' },
      ),
      'content-type': 'text/html; charset=utf-8',
    },
    body: `<!doctype html>
<html lang="en" data-stage="${setting('STAGE')}" data-sign-in="${urlOf('/console/sign-in')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Console</title>
<link rel="icon" href="${ASSETS}/${app.icon}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${ASSETS}/${app.font}">
<link rel="stylesheet" href="${ASSETS}/${app.style}">
${modules.join('\n')}
<script type="module" nonce="${nonce}" src="${ASSETS}/${app.script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`,
  };
}

/** A file of the browser code. Browsers may keep it, because another version has another name. */
function asset(name: string, accepted = ''): Response {
  const found = Object.hasOwn(app.assets, name) ? app.assets[name] : undefined;
  if (!found) throw new Problem('not_found', 'There is no such file. The console may have changed: reload the page.');
  const { type, bodies } = found;
  const encoding = 'identity' in bodies ? 'identity' : 'br' in bodies && /\bbr\b/.test(accepted) ? 'br' : 'gzip';
  return {
    statusCode: 200,
    headers: {
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': type,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    },
    body: (bodies as Record<string, string>)[encoding] as string,
    isBase64Encoded: true,
  };
}

/**
 * GET /console and GET /console/{path+}: the console's page or, below `assets/`, a file that it loads. One function has
 * both, because a browser asks for them together.
 */
export const handler = publicFile(async ({ pathParameters, headers }: Incoming) => {
  const [, folder, name = ''] = /^(\w+)\/(.*)$/.exec(pathParameters?.['path'] ?? '') ?? [];
  if (folder === 'assets') return asset(name, headers['accept-encoding']);
  if (folder === 'api') throw new Problem('not_found', 'There is no such operation.');
  return page();
});
