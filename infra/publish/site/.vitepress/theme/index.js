// Runs in the reader's browser.
import { onContentUpdated, withBase } from 'vitepress';
import Theme from 'vitepress/theme';
import { Reference } from './reference.js';
import './style.css';

/** Fills in the address of this site, and marks what is the main content of the home page. */
function complete() {
  document.querySelector('.VPHome')?.setAttribute('role', 'main');
  const site = new URL(withBase('/'), location.origin).href.replace(/\/$/, '');
  for (const place of document.querySelectorAll('[data-site]')) place.textContent = site;
}

export default {
  extends: Theme,
  setup: () => onContentUpdated(complete),
  enhanceApp({ app }) {
    app.component('Reference', Reference);
  },
};
