import type { Environment } from './settings.ts';

/*
 * Makes tabs of what guides say once for each language or environment. A page has each kind of tabs once at most.
 * Guides are plain Markdown; `.vitepress/theme/tabs.js` shows the tab that the reader chose.
 */

const tabs = (kind: string, parts: [label: string, markdown: string][]): string => {
  const choices = parts.map(
    ([label]) => `<label><input type="radio" name="${kind}" value="${label}" autocomplete="off">${label}</label>`,
  );
  const panels = parts.map(([label, markdown]) => `<div data-tab="${label}">\n\n${markdown}\n</div>\n`);
  return `<div class="tabs">
<fieldset><legend>${kind}:</legend>${choices.join('')}</fieldset>
${panels.join('')}</div>

`;
};

/** Neighbouring sections of the third level that are named by languages. */
const LANGUAGES = /(?:^### (?:curl|TypeScript|Python)\n(?:(?!##).*\n)*){2,}/gm;

/** Makes tabs of neighbouring sections that are named by languages. */
export const withLanguageTabs = (text: string): string =>
  text.replace(LANGUAGES, (sections) =>
    tabs(
      'Language',
      sections.split(/^(?=### )/m).map((section) => [section.slice('### '.length, section.indexOf('\n')), section]),
    ),
  );

/** Makes tabs of commands that have a base URL, one for each environment. */
export const withEnvironmentTabs = (text: string, environments: Environment[]): string =>
  text.replace(/^```sh\n(?:(?!```).*\n)*```\n/gm, (commands) =>
    commands.includes('{base_url}') && environments.length > 1
      ? tabs(
          'Environment',
          environments.map(({ name, base_url }) => [name, commands.replaceAll('{base_url}', base_url)]),
        )
      : commands,
  );
