import { h, onBeforeUnmount, onMounted, ref } from 'vue';

/** The id of a label's heading, as `anchorOf` of guides.ts makes it for plain words. */
const idOf = (label) => label.toLowerCase().replaceAll(' ', '-');

/** The key in localStorage of the chosen tab. Each set of tabs has its own. */
const keyOf = (labels) => `tab:${labels.join()}`;

/**
 * Shows one of several sections (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/). Each slot, named by the id of its
 * heading, is a section. A link to a heading within a section shows that section. The choice is kept for other visits.
 */
export const Tabs = {
  props: { labels: { type: Array, required: true } },
  setup({ labels }, { slots }) {
    const place = ref();
    const chosen = ref(labels[0]);

    const choose = (label) => {
      chosen.value = label;
      localStorage.setItem(keyOf(labels), label);
    };
    /** Shows the section with the target of the page's address. */
    const follow = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!place.value?.contains(target)) return;
      const { label } = target?.closest('[role="tabpanel"]')?.dataset ?? {};
      if (!label) return;
      chosen.value = label;
      // After the router's own scroll, which cannot know where a hidden heading will be.
      requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
    };
    onMounted(() => {
      const stored = localStorage.getItem(keyOf(labels));
      if (labels.includes(stored)) chosen.value = stored;
      follow();
      addEventListener('hashchange', follow);
    });
    onBeforeUnmount(() => removeEventListener('hashchange', follow));

    const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
    const move = (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      const next = labels.at((labels.indexOf(chosen.value) + step) % labels.length);
      choose(next);
      place.value.querySelector(`#tab-${idOf(next)}`).focus();
    };

    const tab = (label) =>
      h(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${idOf(label)}`,
          'aria-selected': String(label === chosen.value),
          'aria-controls': `panel-${idOf(label)}`,
          tabindex: label === chosen.value ? 0 : -1,
          onClick: () => choose(label),
        },
        label,
      );
    const panel = (label) =>
      h(
        'div',
        {
          role: 'tabpanel',
          id: `panel-${idOf(label)}`,
          'data-label': label,
          'aria-labelledby': `tab-${idOf(label)}`,
          hidden: label !== chosen.value,
        },
        slots[idOf(label)]?.(),
      );
    return () =>
      h('div', { class: 'sections', ref: place }, [
        h('div', { role: 'tablist', onKeydown: move }, labels.map(tab)),
        ...labels.map(panel),
      ]);
  },
};
