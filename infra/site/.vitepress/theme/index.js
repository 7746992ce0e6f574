// Runs in the reader's browser.
import { useData } from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { Reference } from './reference.js';
import './style.css';

export default {
  extends: Theme,
  Layout: {
    setup() {
      const { theme } = useData();
      const support = () => theme.value.footer && h('p', { class: 'support', innerHTML: theme.value.footer.message });
      return () => h(Theme.Layout, null, { 'doc-after': support });
    },
  },
  enhanceApp({ app }) {
    app.component('Reference', Reference);
  },
};
