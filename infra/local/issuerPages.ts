import { createHash } from 'node:crypto';
import { type DemoPerson, rolesOf } from './people.ts';

/* The pages of the local issuer. They load nothing and have no script. */

const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f8, #101214);
  --card: light-dark(#fff, #181b1e);
  --text: light-dark(#1b1f23, #eceef0);
  --quiet: light-dark(#5a626b, #a3abb3);
  --line: light-dark(#e3e6e9, #2b2f34);
  --hover: light-dark(#f3f6fa, #20252b);
  --accent: light-dark(#1f5fbf, #8fbcff);
  --mark: light-dark(#eaf1fb, #22303f);
}
* { box-sizing: border-box; }
body {
  min-height: 100dvh;
  margin: 0;
  padding: clamp(2rem, 13vh, 8rem) 1rem 2rem;
  background: var(--page);
  color: var(--text);
  font: 0.9375rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  -webkit-font-smoothing: antialiased;
}
main { max-width: 26rem; margin: 0 auto; }
p { margin: 0; color: var(--quiet); }
h1 { margin: 0 0 0.25rem; font-size: 1.375rem; font-weight: 600; letter-spacing: -0.015em; line-height: 1.25; }
ul {
  margin: 1.5rem 0 1.25rem;
  padding: 0;
  list-style: none;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / 4%), 0 8px 24px -12px rgb(0 0 0 / 10%);
}
li + li { border-top: 1px solid var(--line); }
button {
  display: grid;
  grid-template-columns: auto 1fr auto;
  gap: 0 0.875rem;
  align-items: center;
  width: 100%;
  padding: 0.8125rem 1rem;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  text-align: start;
  cursor: pointer;
}
li:first-child button { border-start-start-radius: 0.6875rem; border-start-end-radius: 0.6875rem; }
li:last-child button { border-end-start-radius: 0.6875rem; border-end-end-radius: 0.6875rem; }
button:hover { background: var(--hover); }
button:focus-visible { position: relative; outline: 2px solid var(--accent); outline-offset: -2px; }
.initials {
  display: grid;
  place-items: center;
  width: 2.25rem;
  height: 2.25rem;
  border-radius: 50%;
  background: var(--mark);
  color: var(--accent);
  font-size: 0.75rem;
  font-weight: 600;
  letter-spacing: 0.02em;
}
.name { display: block; font-weight: 550; }
.role { display: block; color: var(--quiet); font-size: 0.8125rem; }
svg { width: 1rem; height: 1rem; color: var(--quiet); opacity: 0.55; transition: transform 120ms, opacity 120ms; }
button:hover svg, button:focus-visible svg { transform: translateX(2px); opacity: 1; }
small { color: var(--quiet); font-size: 0.8125rem; }
@media (prefers-reduced-motion: reduce) { svg { transition: none; } }
`;

const ARROW =
  '<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" ' +
  'stroke-linejoin="round" aria-hidden="true"><path d="m6 3.5 4.5 4.5L6 12.5"/></svg>';

/**
 * The headers of a page.
 *
 * @param formTargets Where a form of the page may lead. Chrome applies it to the redirects after the form too.
 */
export const pageHeaders = (...formTargets: string[]) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `form-action ${formTargets.join(' ') || "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${main}
</main>
</body>
</html>
`;

const initialsOf = (name: string): string =>
  name
    .split(' ')
    .map((part) => part.charAt(0))
    .join('');

const rowOf = (person: DemoPerson): string => `<li>
<button name="person" value="${escaped(person.subject)}">
<span class="initials" aria-hidden="true">${escaped(initialsOf(person.name))}</span>
<span>
<span class="name">${escaped(person.name)}</span>
${rolesOf(person)
  .map((role) => `<span class="role">${escaped(role)}</span>`)
  .join('\n')}
</span>
${ARROW}
</button>
</li>`;

/** The page on which one click signs a person in. The form is sent to its own address. */
export const peoplePage = (people: readonly DemoPerson[]): string =>
  page(
    'Sign in as…',
    `<p>Choose a demo person. There are no passwords.</p>
<form method="post">
<ul>
${people.map(rowOf).join('\n')}
</ul>
</form>
<small>A demo issuer on this machine. It is never deployed.</small>`,
  );

export const failurePage = (message: string): string =>
  page('This sign-in cannot continue', `<p>${escaped(message)}</p>`);
