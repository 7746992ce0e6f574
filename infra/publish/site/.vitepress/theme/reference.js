import { Content, useData, withBase } from 'vitepress';
import { h, nextTick, onBeforeUnmount, onMounted, ref, watch } from 'vue';
import { interfacePaths } from '../../../contract/paths.ts';

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

/** How long the renderer still adds content above the target of a jump. */
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

/**
 * Attributes of the renderer's elements that none of its settings changes: selector, name and value. They replace its joke
 * in place of an API key, name the forms of a request for style.css, and give elements names, roles and tab stops.
 */
const MENDED = [
  ['[data-placeholder^="QUxMIFlP"]', 'data-placeholder', () => 'apk_…'],
  ['[class~="group/params"]:not([data-title])', 'data-title', (form) => form.querySelector('h2')?.textContent ?? ''],
  ['.code-input-lite__editor:not([aria-label])', 'aria-label', ({ dataset }) => dataset.placeholder || 'Value'],
  ['.code-input-lite__editor[role="combobox"]', 'role', () => 'textbox'],
  ['[class*="group/copy-button"]:not([aria-label])', 'aria-label', () => 'Copy'],
  ['.response-card[role="region"]', 'role', () => 'group'],
  ['.endpoints:not([tabindex])', 'tabindex', () => '0'],
  ['.t-doc__header:not([aria-label])', 'aria-label', () => 'Current section'],
  ['.t-doc__header:not([role])', 'role', () => 'region'],
  ['.t-doc__header > header:not([role])', 'role', () => 'none'],
];

/** Mends elements as soon as the renderer adds them. */
const mending = () =>
  new MutationObserver(() => {
    for (const [selector, name, value] of MENDED)
      for (const element of document.querySelectorAll(selector)) element.setAttribute(name, value(element));
  });

/** Leaves out conditions of bodies, which the renderer would show as several objects. The descriptions have them in words. */
const withoutCondition = (name, value) => (name === 'schema' ? { ...value, anyOf: undefined } : value);

/** The contract with the interface's names of path parameters, and with these environments. */
function prepared(contract, environments) {
  const { paths, ...others } = JSON.parse(JSON.stringify(contract), withoutCondition);
  const servers = environments.map(({ name, base_url }) => ({ url: base_url, description: name }));
  return { ...others, paths: interfacePaths(paths), ...(servers.length > 0 && { servers }) };
}

/**
 * The renderer's settings. Requests go only to environments that accept them; without one, none can be sent.
 *
 * @param settings `settings.json`. The demo's has an API key.
 */
const configuration = (contract, { environments, api_key }, isDark) => {
  const sendable = environments.filter(({ can_send }) => can_send);
  return {
    content: prepared(contract, sendable.length > 0 ? sendable : environments),
    forceDarkModeState: isDark ? 'dark' : 'light',
    theme: 'none',
    withDefaultFonts: false,
    hideDarkModeToggle: true,
    hideSearch: true,
    hideClientButton: true,
    hideTestRequestButton: sendable.length === 0,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    documentDownloadType: 'none',
    defaultOpenAllTags: true,
    // As in the contract.
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    persistAuth: false,
    generateTagSlug: ({ name }) => name.toLowerCase().replaceAll(' ', '-'),
    generateOperationSlug: ({ operationId }) => operationId,
    ...(api_key && {
      authentication: {
        preferredSecurityScheme: 'API-KEY',
        securitySchemes: { 'API-KEY': { value: api_key } },
      },
    }),
    // These prevent requests to other hosts.
    proxyUrl: '',
    telemetry: false,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  };
};

/** The layout of the reference. Shows the page's own content until the renderer has loaded. */
export const Reference = {
  setup() {
    const { isDark } = useData();
    const place = ref();
    const isLoaded = ref(false);
    let shown;
    let show = () => {};
    let mends;
    watch(isDark, () => show());

    const jump = () => place.value && keepInView(place.value);
    onMounted(async () => {
      addEventListener('hashchange', jump);
      mends = mending();
      mends.observe(document.body, { childList: true, subtree: true });
      scalar ??= loadScalar();
      const [contract, settings, { createApiReference }] = await Promise.all([
        read('/openapi.json'),
        read('/settings.json'),
        scalar,
      ]);
      isLoaded.value = true;
      await nextTick();
      // The reader may have left the page.
      if (!place.value) return;
      show = () => {
        shown?.destroy();
        shown = createApiReference(place.value, configuration(contract, settings, isDark.value));
      };
      show();
    });
    onBeforeUnmount(() => {
      removeEventListener('hashchange', jump);
      mends.disconnect();
      shown?.destroy();
    });

    return () =>
      h('div', { class: 'reference' }, [
        isLoaded.value ? h('div', { ref: place, class: 'vp-raw' }) : h(Content, { class: 'vp-doc' }),
      ]);
  },
};
