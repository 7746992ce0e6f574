// Runs in the reader's browser.
import { onContentUpdated, withBase } from 'vitepress';
import Theme from 'vitepress/theme';
import { onMounted } from 'vue';
import { Reference } from './reference.js';
import { listenToTabs, showTabs } from './tabs.js';
import './style.css';

/** Fills in the address of this site, marks the main content of pages that lack a mark, and shows the chosen tabs. */
function complete() {
  document.querySelector('.VPHome, .NotFound')?.setAttribute('role', 'main');
  const site = new URL(withBase('/'), location.origin).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-site]')) place.textContent = site;
  showTabs();
}

export default {
  extends: Theme,
  setup() {
    onMounted(listenToTabs);
    onMounted(complete);
    onContentUpdated(complete);
  },
  enhanceApp({ app }) {
    app.component('Reference', Reference);
  },
};
