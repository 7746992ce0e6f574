// Runs in the page; its value is what text is told apart from its background by less than a ratio of 4.5 (WCAG 2.2 AA).
(() => {
  const LEAST = 4.5;
  const rgba = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = (top, below) => [...[0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])), 1];
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const withParents = (element) => (element ? [...withParents(element.parentElement), element] : []);
  const styles = (element) => withParents(element).map((each) => getComputedStyle(each));

  const ratioOf = (element) => {
    const all = styles(element);
    const behind = all
      .map((style) => rgba(style.backgroundColor))
      .reduce((below, top) => over(top, below), [255, 255, 255, 1]);
    const colour = rgba(getComputedStyle(element).color);
    colour[3] *= all.reduce((opacity, style) => opacity * Number(style.opacity), 1);
    const [lighter, darker] = [luminance(over(colour, behind)), luminance(behind)].sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const found = [...document.querySelectorAll('body *')]
    .filter(
      (element) => hasText(element) && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
    )
    .map((element) => ({ text: element.textContent.slice(0, 40), class: element.className, ratio: ratioOf(element) }));
  return { texts: found.length, low: found.filter(({ ratio }) => ratio < LEAST) };
})();
