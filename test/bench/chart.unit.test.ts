import { describe, expect, test } from '@jest/globals';
import { svgOf } from './chart.ts';
import type { Chart } from './part.ts';

const CHART: Chart = {
  title: 'Units by page & list',
  unit: 'read units < ours',
  kind: 'bars',
  categories: ['first', 'last'],
  series: [
    { name: 'ours', values: [1.5, 1.5] },
    { name: 'a walk', values: [1, 12_500] },
  ],
};

describe.each([
  ['bars', CHART],
  ['bars by factors', { ...CHART, isLogarithmic: true }],
  ['lines', { ...CHART, kind: 'lines' as const }],
  ['lines by factors', { ...CHART, kind: 'lines' as const, isLogarithmic: true }],
])('a chart of %s', (_, chart) => {
  const svg = svgOf(chart);

  test('is the same text each time', () => {
    svgOf({ ...chart, title: 'Another one' });
    expect(svgOf(chart)).toBe(svg);
  });

  test('has a white background, so it is legible on a dark page', () => {
    expect(svg).toMatch(/<rect width="900" height="\d+" x="0" y="0" fill="#ffffff"><\/rect>/);
  });

  test('has a description of its contents', () => {
    expect(svg).toContain('<title id="title">Units by page &amp; list</title>');
    expect(svg).toContain(`<desc id="description">ours, read units &lt; ours: first 1.5; last 1.5.
a walk, read units &lt; ours: first 1; last 12,500.</desc>`);
  });

  test('has the names of its unit, categories and series, and its values', () => {
    const texts = [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        'Units by page &amp; list',
        'read units &lt; ours',
        'first',
        'last',
        'ours',
        'a walk',
        '1.5',
        '12,500.0',
      ]),
    );
  });

  test('draws nothing outside its area', () => {
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

test('a bar on a logarithmic axis is as long as its power of ten, the smallest one power, and a zero has no bar', () => {
  const bars = (values: number[]) => {
    const svg = svgOf({ ...CHART, series: [{ name: 'ours', values }], isLogarithmic: true });
    const found = [...svg.matchAll(/<path d="M\S+ \S+l(\S+) 0l0 14l\S+ 0Z" fill="#0072b2"/g)];
    return found.map(([, length]) => Number(length));
  };
  const [least = 0, longer = 0] = bars([1, 100]);
  expect(least).toBeGreaterThan(100);
  expect(longer / least).toBeCloseTo(3, 1);
  expect(bars([0, 100])).toHaveLength(1);
});
