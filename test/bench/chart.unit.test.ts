import { expect, test } from '@jest/globals';
import { svgOf } from './chart.ts';
import type { Chart } from './part.ts';

// report.unit.test.ts compares the pictures of docs/.
const CHART: Chart = {
  title: 'Units by page & list',
  unit: 'read units < ours',
  kind: 'bars',
  categories: ['first', 'last'],
  series: [
    { name: 'ours', values: [1.5, 0] },
    { name: 'a walk', values: [10, 12_500] },
  ],
};
const textsIn = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

test('bars show their names, units and values, and are as long as these', () => {
  const svg = svgOf(CHART);
  const labels = ['first', 'ours: 1.5', 'a walk: 10.0', 'last', '0.0', '12,500.0'];
  expect(textsIn(svg)).toEqual(['Units by page &amp; list', 'read units &lt; ours', ...labels]);
  expect([...svg.matchAll(/<rect y=\S+ width="([\d.]+)"/g)].map(([, width]) => Number(width))).toEqual([
    0.1, 0.3, 0, 426,
  ]);
});

test('lines show their axes, and their names and last values beside their ends', () => {
  const texts = textsIn(svgOf({ ...CHART, kind: 'lines' }));
  const axis = ['0', '5,000', '10,000', '15,000'];
  expect(texts.slice(2)).toEqual([...axis, 'first', 'last', 'ours: 0', 'a walk: 12,500']);
  const [, series] = CHART.series as [unknown, Chart['series'][number]];
  const byFactors = textsIn(svgOf({ ...CHART, kind: 'lines', series: [series], isLogarithmic: true }));
  expect(byFactors.slice(2, 7)).toEqual(['10', '100', '1,000', '10,000', '100,000']);
});

test('a chart has its contents as text', () => {
  const text = 'ours, read units &lt; ours: first 1.5; last 0.\na walk, read units &lt; ours: first 10; last 12,500.';
  expect(svgOf(CHART)).toContain(`<desc id="description">${text}</desc>`);
});
