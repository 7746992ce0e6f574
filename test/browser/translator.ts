/* What translators do to a page, and what they must not find there. Both are scripts for a page. */

/**
 * Does what the translators of browsers do, as Chrome's: each text node that is there or that comes is replaced by two
 * nested `<font>` with the translated text. The node itself is in the page no more. What must not be translated
 * (`translate="no"`, `.notranslate`) and what is no prose stays.
 *
 * @param translated The source of a function that translates a text.
 */
export const translator = (translated: string): string => `{
  const translated = ${translated};
  const KEPT = '[translate="no"], .notranslate, input, textarea, select, script, style, noscript, title, svg';
  const isProse = ({ nodeValue, parentElement }) =>
    nodeValue.trim() !== '' && parentElement && parentElement.localName !== 'font' && !parentElement.closest(KEPT);
  const fontOf = (content) => {
    const font = document.createElement('font');
    font.style.verticalAlign = 'inherit';
    font.append(content);
    return font;
  };
  const wrap = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = root.nodeType === Node.TEXT_NODE ? [root] : [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) if (isProse(text)) text.replaceWith(fontOf(fontOf(translated(text.nodeValue))));
  };
  const observer = new MutationObserver((changes) => {
    const nodes = new Set(changes.flatMap(({ target, addedNodes }) => (addedNodes.length > 0 ? [...addedNodes] : [target])));
    for (const node of nodes) if (node.isConnected) wrap(node);
    // Its own changes.
    observer.takeRecords();
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}`;

/** How React marks the nodes that it made, and goes on using. */
export const OF_REACT = '__reactFiber$';

/** Logs an error for each text node of React that comes into the page: see functions/console/app/jsx.ts. */
export const TEXTS_OF_REACT = `new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let text = node; text; text = walker.nextNode()) {
      const isOfReact = text.nodeType === Node.TEXT_NODE && Object.keys(text).some((name) => name.startsWith('${OF_REACT}'));
      if (isOfReact && text.nodeValue.trim() !== '') console.error('A text that is not all of an element: ' + text.parentElement?.outerHTML);
    }
  }
}).observe(document, { subtree: true, childList: true });`;
