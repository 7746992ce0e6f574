// Runs in the reader's browser.
import { onContentUpdated, useData, withBase } from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import { h, onMounted } from 'vue';
import { Reference } from './reference.js';
import './style.css';

/** Fills in the address of this site. */
function fillInSite() {
  const site = new URL(withBase('/'), location.origin).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-site]')) place.textContent = site;
}

/** Opens the section of an accordion with the target of the page's address. The router's links do not. */
function openSection() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const section = target?.closest('details');
  if (!section) return;
  section.open = true;
  // After the router's own scroll, which cannot know where a hidden heading will be.
  requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
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
      onContentUpdated(openSection);
      onMounted(() => addEventListener('hashchange', openSection));
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
  },
};
