import type { DemoPerson } from './people.ts';

/* The pages of the local issuer. They load nothing and have no script. */

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 26rem; margin: 13vh auto 2rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.375rem; }
ul { padding: 0; list-style: none; }
button {
  width: 100%;
  padding: 0.75rem 1rem;
  border: 1px solid;
  border-radius: 0.5rem;
  margin-bottom: 0.5rem;
  font: inherit;
  text-align: start;
}
small { display: block; }
`;

export const PAGE_HEADERS = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

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

const rowOf = ({ subject, name, roles }: DemoPerson): string => `<li>
<button name="person" value="${escaped(subject)}">
${escaped(name)}
${roles.map((role) => `<small>${escaped(role)}</small>`).join('\n')}
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
