// Runs in the reader's browser.
import { onContentUpdated, useData, withBase } from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { Reference } from './reference.js';
import './style.css';
import { Tabs } from './tabs.js';

/** Fills in the address of this site. */
function fillInSite() {
  const site = new URL(withBase('/'), location.origin).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-site]')) place.textContent = site;
}

const missing = () =>
  h('main', { class: 'vp-doc missing' }, [
    h('h1', 'Page not found'),
    h('p', 'The address may be mistyped, or the page has moved. Search for it, or begin with:'),
    h('ul', [
      h('li', h('a', { href: withBase('/docs/quickstart/') }, 'Quickstart')),
      h('li', h('a', { href: withBase('/reference/') }, 'Reference')),
      h('li', h('a', { href: withBase('/') }, 'All guides')),
    ]),
  ]);

export default {
  extends: Theme,
  Layout: {
    setup() {
      const { theme } = useData();
      onContentUpdated(fillInSite);
      const support = () =>
        theme.value.footer &&
        h('aside', { class: 'contact', 'aria-label': 'Support' }, [
          h('span', { innerHTML: theme.value.footer.message }),
          ' (',
          h('a', { href: withBase('/docs/support/') }, 'what to send'),
          ')',
        ]);
      return () => h(Theme.Layout, null, { 'doc-after': support, 'not-found': missing });
    },
  },
  enhanceApp({ app }) {
    app.component('Reference', Reference);
    app.component('Tabs', Tabs);
  },
};
