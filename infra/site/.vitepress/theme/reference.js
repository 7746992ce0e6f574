import { Content, useData, withBase } from 'vitepress';
import { h, nextTick, onBeforeUnmount, onMounted, ref, watch } from 'vue';
import { prepared } from './prepared.js';

/** The key in localStorage of the demo acquirer that the reader acts as. */
const CHOICE = 'acquirer';
const TYPES = { DISTRIBUTOR: 'distributor', PAYMENT_PROVIDER: 'payment provider' };

const read = async (path) => (await fetch(withBase(path))).json();

/** Loads the renderer. It is large, so only this page loads it. */
const loadScalar = () =>
  new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: withBase('/scalar.js') });
    script.onload = () => resolve(window.Scalar);
    script.onerror = () => reject(new Error(`${script.src} could not be loaded.`));
    document.head.append(script);
  });
let scalar;

/** How long sections grow after a jump, because the renderer renders those around its target only then. */
const GROWING_MS = 1_000;

/** Keeps the target of a jump in view while the sections above it grow, unless the reader scrolls. */
function keepInView(reference) {
  const operation = CSS.escape(location.hash.split('/').at(-1));
  const observer = new ResizeObserver(() => reference.querySelector(`[id$="/${operation}"].section`)?.scrollIntoView());
  observer.observe(reference);
  const stop = () => observer.disconnect();
  for (const event of ['wheel', 'touchmove', 'keydown']) addEventListener(event, stop, { once: true });
  setTimeout(stop, GROWING_MS);
}

/** The renderer's settings. Without an `acquirer`, requests cannot be sent. */
const configuration = (contract, acquirer, isDark) => ({
  content: prepared(contract, acquirer && { examples: acquirer.examples, origin: location.origin }),
  forceDarkModeState: isDark ? 'dark' : 'light',
  theme: 'none',
  withDefaultFonts: false,
  hideDarkModeToggle: true,
  hideSearch: true,
  hideClientButton: true,
  hideTestRequestButton: !acquirer,
  // Operations have their own code samples.
  hiddenClients: true,
  documentDownloadType: 'none',
  defaultOpenAllTags: true,
  persistAuth: false,
  generateTagSlug: ({ name }) => name.toLowerCase().replaceAll(' ', '-'),
  generateOperationSlug: ({ operationId }) => operationId,
  ...(acquirer && {
    authentication: {
      preferredSecurityScheme: 'API-KEY',
      securitySchemes: { 'API-KEY': { value: acquirer.api_key } },
    },
  }),
  // These prevent requests to other hosts.
  proxyUrl: '',
  telemetry: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
});

/** The layout of the reference. Shows the page's own content until the renderer has loaded. */
export const Reference = {
  setup() {
    const { isDark } = useData();
    const place = ref();
    const acquirers = ref([]);
    const chosen = ref();
    const isLoaded = ref(false);
    let shown;
    let show = () => {};
    watch(isDark, () => show());

    const jump = () => place.value && keepInView(place.value);
    onMounted(async () => {
      addEventListener('hashchange', jump);
      scalar ??= loadScalar();
      const [contract, settings, { createApiReference }] = await Promise.all([
        read('/openapi.json'),
        read('/settings.json'),
        scalar,
      ]);
      acquirers.value = settings.acquirers ?? [];
      const choice = localStorage.getItem(CHOICE);
      // By default a payment provider, as in the guides.
      const acquirer =
        acquirers.value.find(({ name }) => name === choice) ??
        acquirers.value.find(({ type }) => type === 'PAYMENT_PROVIDER');
      chosen.value = acquirer?.name;
      isLoaded.value = true;
      await nextTick();
      // The reader may have left the page.
      if (!place.value) return;
      show = () => {
        shown?.destroy();
        shown = createApiReference(place.value, configuration(contract, acquirer, isDark.value));
      };
      show();
    });
    onBeforeUnmount(() => {
      removeEventListener('hashchange', jump);
      shown?.destroy();
    });

    const choose = ({ target }) => {
      localStorage.setItem(CHOICE, target.value);
      location.reload();
    };
    const select = () =>
      h('p', { class: 'acting' }, [
        h('label', { for: CHOICE }, 'You act as '),
        h(
          'select',
          { id: CHOICE, value: chosen.value, onChange: choose },
          acquirers.value.map(({ name, type }) => h('option', { value: name }, `${name} (${TYPES[type]})`)),
        ),
      ]);
    return () =>
      h('div', { class: 'reference' }, [
        acquirers.value.length > 0 && select(),
        isLoaded.value ? h('div', { ref: place, class: 'vp-raw' }) : h(Content, { class: 'vp-doc' }),
      ]);
  },
};
