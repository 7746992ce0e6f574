import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from './part.ts';
import { decimalsOf, figure } from './tables.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, LabelLayout, SVGRenderer]);

/** The width of a letter, in its heights. Wide, because the reader's typeface is unknown. */
const LETTER = 0.62;
/** ECharts measures the height of a line by this letter, which is as wide as high. */
const EAST_ASIA = '\u2e80';

const widthOf = (text: string, size: number): number =>
  [...text].reduce((width, letter) => width + (letter < EAST_ASIA ? LETTER : 1) * size, 0);

setPlatformAPI({
  measureText: (text, font = '12px') => ({ width: widthOf(text, Number(/(\d+)px/.exec(font)?.[1])) }),
});

/** Colours that most colour-blind people can distinguish (Okabe and Ito, "Color universal design"). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
/** Symbols that also distinguish lines. */
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin'];
const INK = '#1f2328';

const WIDTH = 900;
/**
 * Heights of the title, of a line of the legend, and of the axis with its name; the size of the legend's letters and
 * the extra width of each name.
 */
const TITLE = 60;
const LEGEND = { line: 22, size: 12, mark: 45 };
const AXIS = 48;
const LINES_HEIGHT = 300;
/** Heights of a bar, and of the space between the bars of two categories. */
const BAR = 16;
const GAP = 12;
/** Longer names of bars are wrapped. */
const NAME_WIDTH = 350;
const NAME_LINE = 14;

/** A chart with more values has no labels, because lines have less room for them than bars. */
const MOST_LABELS = { bars: 120, lines: 15 };

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The contents of a chart as text, for people who cannot see it. */
const described = ({ unit, categories, series }: Chart): string =>
  series
    .map(({ name, values }) => {
      const points = values.map((value, at) => `${categories[at]} ${figure(value)}`);
      return `${name}, ${unit}: ${points.join('; ')}.`;
    })
    .join('\n');

/**
 * A chart as SVG on a white background, the same text for the same chart. Bars are horizontal, so names of any length
 * are legible.
 */
export function svgOf(chart: Chart): string {
  const { title, unit, kind, categories, series, isLogarithmic } = chart;
  const isBars = kind === 'bars';
  const inner = isBars ? categories.length * (series.length * BAR + GAP) : LINES_HEIGHT;
  const legendWidth = series.reduce((width, { name }) => width + widthOf(name, LEGEND.size) + LEGEND.mark, 0);
  const top = TITLE + LEGEND.line * Math.ceil(legendWidth / WIDTH);
  const smallest = Math.min(...series.flatMap(({ values }) => values).filter((value) => value > 0));
  const least = 10 ** Math.ceil(Math.log10(smallest) - 1);
  const decimals = Math.max(...series.flatMap(({ values }) => values.map(decimalsOf)));
  const text = { color: INK };
  const names = {
    type: 'category' as const,
    data: categories,
    // Bars are drawn from the bottom but read from the top.
    inverse: isBars,
    axisTick: { show: false },
    axisLine: { lineStyle: text },
    axisLabel: { ...text, interval: 0, lineHeight: NAME_LINE, width: NAME_WIDTH, overflow: 'break' as const },
  };
  const figures = {
    name: unit,
    nameLocation: 'middle' as const,
    nameTextStyle: text,
    axisLabel: { ...text, formatter: (value: number) => figure(value) },
    splitLine: { lineStyle: { color: '#d8dee4' } },
    ...(isLogarithmic
      ? // A power of ten below the smallest value, which else would be a bar of no length.
        { type: 'log' as const, min: least, startValue: least }
      : { type: 'value' as const, min: 0 }),
  };
  const label = {
    show: categories.length * series.length <= MOST_LABELS[kind],
    color: isBars ? INK : 'inherit',
    fontSize: 11,
    position: isBars ? ('right' as const) : ('top' as const),
    formatter: ({ value }: { value: unknown }) => figure(value as number, decimals),
  };

  const drawing = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: top + inner + AXIS });
  drawing.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    color: COLOURS,
    title: { text: title, left: 12, top: 10, textStyle: { ...text, fontSize: 15 } },
    legend: { left: 12, top: 42, textStyle: { ...text, fontSize: LEGEND.size } },
    grid: { left: 16, right: 56, top, bottom: AXIS },
    xAxis: isBars ? figures : names,
    yAxis: isBars ? names : figures,
    series: series.map(({ name, values }, at) => ({
      name,
      type: isBars ? ('bar' as const) : ('line' as const),
      // Zero has no position on a logarithmic axis.
      data: values.map((value) => (isLogarithmic && value === 0 ? '-' : value)),
      clip: false,
      label,
      labelLayout: { hideOverlap: true },
      barWidth: BAR - 2,
      symbol: SYMBOLS[at % SYMBOLS.length],
      symbolSize: 8,
    })),
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  const texts = `<title id="title">${escaped(title)}</title>\n<desc id="description">${escaped(described(chart))}</desc>`;
  return (
    svg
      // Removes what reacts to a mouse; its names depend on the number of charts drawn before.
      .replace(/ class="[^"]*"| ecmeta_\w+="[^"]*"|<style[\s\S]*?<\/style>\n?|\bzr\d+-/g, '')
      .replace('>', () => ` role="img" aria-labelledby="title" aria-describedby="description">\n${texts}`)
  );
}
