// Runs in the page; returns the texts with a contrast ratio below 4.5 (WCAG 2.2 AA).
(() => {
  const LEAST = 4.5;
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  /** Parses a colour in any notation by drawing a pixel. */
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [red, green, blue, alpha / 255]);
    }
    return [...known.get(colour)];
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
    const { color, fill } = getComputedStyle(element);
    const colour = rgba(element instanceof SVGElement ? fill : color);
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
