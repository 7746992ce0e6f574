// Runs in the reader's browser.

const keyOf = (kind) => `chosen-${kind}`;

/** What the reader chose in this visit. */
const choices = new Map();

/** Where choices are kept for the next visit, unless the browser blocks it. */
function storage() {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** Shows, of the tabs of this page, those that the reader chose on any page or visit; the first ones otherwise. */
function show() {
  for (const tabs of document.querySelectorAll('.tabs')) {
    const inputs = [...tabs.querySelectorAll('input')];
    const kind = inputs[0].name;
    const chosen = choices.get(kind) ?? storage()?.getItem(keyOf(kind));
    const shown = inputs.find(({ value }) => value === chosen) ?? inputs[0];
    shown.checked = true;
    for (const panel of tabs.querySelectorAll('[data-tab]'))
      panel.toggleAttribute('data-shown', panel.dataset.tab === shown.value);
  }
}

function choose({ name, value }) {
  choices.set(name, value);
  show();
  storage()?.setItem(keyOf(name), value);
}

/** Shows the tabs of a page that has just opened. If its address names a place in a hidden one, chooses that. */
export function showTabs() {
  const place = document.getElementById(location.hash.slice(1));
  const panel = place?.closest('[data-tab]:not([data-shown])');
  if (!panel) return show();
  choose([...panel.parentElement.querySelectorAll('input')].find(({ value }) => value === panel.dataset.tab));
  // After VitePress, which scrolls to where the place was while it was hidden.
  return requestAnimationFrame(() => place.scrollIntoView());
}

/** Listens to choices, for as long as the site is open. */
export function listenToTabs() {
  addEventListener('change', ({ target }) => target.closest('.tabs') && choose(target));
  addEventListener('hashchange', showTabs);
}
