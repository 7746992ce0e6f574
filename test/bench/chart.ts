import type { Chart } from './part.ts';
import { decimalsOf, figure } from './tables.ts';

/** Narrow, so that its letters are still legible when a phone scales the picture down. */
const WIDTH = 520;
const MARGIN = 16;
const INNER = WIDTH - 2 * MARGIN;
/** The height of a line, and the width of a letter in most typefaces. */
const LINE = 17;
const LETTER = 7;
/** The height of a bar, and the space between two groups. */
const BAR = 16;
const GAP = 12;
/** The height of the lines, the width of the names beside them, and the letters that fit there. */
const PLOT = { height: 240, names: 180, letters: 23 };
const TITLE_LETTERS = 56;

/** Most colour-blind people can distinguish these colours of series. */
const LIGHT = { paper: '#fff', ink: '#1f2328', faint: '#59636e', rule: '#d8dee4' };
const LIGHT_SERIES = ['#0b62ad', '#bb4d00', '#00795b', '#9c3f83', '#806000'];
const DARK = { paper: '#0d1117', ink: '#e6edf3', faint: '#9198a1', rule: '#30363d' };
const DARK_SERIES = ['#5cabf5', '#f5965d', '#3fc79b', '#e293cb', '#d6b245'];
const coloured = ({ paper, ink, faint, rule }: typeof LIGHT, series: string[]): string =>
  `.paper, circle { fill: ${paper}; } text { fill: ${ink}; } .faint { fill: ${faint}; } .rule { stroke: ${rule}; }
${series.map((colour, at) => `.series${at} { color: ${colour}; }`).join(' ')}`;
const STYLE = `text { font: 13px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; }
${coloured(LIGHT, LIGHT_SERIES)}
@media (prefers-color-scheme: dark) {
${coloured(DARK, DARK_SERIES)}
}
.title { font-size: 16px; font-weight: 600; } .right { text-anchor: end; } .middle { text-anchor: middle; }
.bar, .name { fill: currentColor; } polyline { fill: none; } polyline, circle { stroke: currentColor; stroke-width: 2; }
.leader { stroke: currentColor; stroke-dasharray: 1 3; }`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const rounded = (value: number): number => Number(value.toFixed(1));
const text = (x: number, y: number, content: string, kind = 'label'): string =>
  `<text x="${rounded(x)}" y="${rounded(y)}" class="${kind}">${escaped(content)}</text>`;
const rule = (x1: number, y1: number, x2: number, y2: number, kind = 'rule'): string =>
  `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" class="${kind}"/>`;
const ofSeries = (at: number, ...parts: string[]): string => `<g class="series${at}">${parts.join('')}</g>`;

/** Breaks a text between words. */
const wrapped = (words: string, letters: number): string[] =>
  words.match(new RegExp(`.{1,${letters}}(?= |$)|[^ ]+`, 'g'))?.map((line) => line.trim()) ?? [];

/** Bars below their names, each with its value. Those of the first group also show the names of their series. */
function bars({ categories, series }: Chart): { parts: string[]; height: number } {
  const decimals = Math.max(...series.flatMap(({ values }) => values.map(decimalsOf)));
  const labelOf = (value: number, at: number, name: string): string =>
    (at === 0 && series.length > 1 ? `${name}: ` : '') + figure(value, decimals);
  const room = series.flatMap(({ name, values }) =>
    values.map((value, at) => (INNER - 6 - LETTER * labelOf(value, at, name).length) / value),
  );
  const scale = Math.min(...room);
  const group = LINE + series.length * BAR + GAP;
  const parts = categories.flatMap((category, at) => [
    text(0, at * group + 12, category),
    ...series.map(({ name, values: { [at]: value = 0 } }, which) => {
      const [top, length] = [at * group + LINE + which * BAR, rounded(value * scale)];
      const bar = `<rect y="${top}" width="${length}" height="${BAR - 2}" class="bar"/>`;
      return ofSeries(which, bar, text(length + 6, top + 11.5, labelOf(value, at, name)));
    }),
  ]);
  return { parts, height: categories.length * group };
}

/** Values of an axis: at most seven from 0 on, or all powers of ten. */
function ticksOf(values: number[], isLogarithmic = false): number[] {
  const most = Math.max(...values);
  const power = 10 ** Math.floor(Math.log10(most / 6));
  const step = power * ([1, 2, 5].find((factor) => factor * power * 6 >= most) ?? 10);
  const from = isLogarithmic ? Math.floor(Math.log10(Math.min(...values))) : 0;
  const to = Math.ceil(isLogarithmic ? Math.log10(most) : most / step);
  return Array.from({ length: to - from + 1 }, (_, at) => (isLogarithmic ? 10 ** (from + at) : at * step));
}

/** Lines, with their last values and names beside their ends. */
function lines({ categories, series, isLogarithmic }: Chart): { parts: string[]; height: number } {
  const all = series.flatMap(({ values }) => values);
  const ticks = ticksOf(all, isLogarithmic);
  const scale = isLogarithmic ? Math.log10 : Number;
  const [from = 0, to = 0] = [Math.min(...ticks), Math.max(...ticks)].map((tick) => scale(tick));
  const left = LETTER * Math.max(...ticks.map((tick) => figure(tick).length)) + 8;
  const right = INNER - PLOT.names;
  const y = (value: number) => PLOT.height * (1 - (scale(value) - from) / (to - from));
  const x = (at: number) => left + 24 + (at * (right - left - 64)) / (categories.length - 1);
  let free = PLOT.height + LINE / 2;
  const names = series
    .map(({ name, values }, at) => ({ at, name, last: values.length - 1, value: values.at(-1) as number }))
    .sort((a, b) => a.value - b.value)
    .map(({ at, name, last, value }) => {
      const rows = wrapped(`${name}: ${figure(value)}`, PLOT.letters);
      const height = rows.length * LINE;
      const top = Math.min(y(value) - height / 2, free - height);
      free = top - 2;
      const leader = rule(x(last) + 6, y(value), right + 4, top + height / 2, 'leader');
      return ofSeries(at, leader, ...rows.map((row, line) => text(right + 8, top + line * LINE + 13, row, 'name')));
    });
  const drawn = series.map(({ values }, at) => {
    const points = values.map((value, place) => [rounded(x(place)), rounded(y(value))]);
    const circles = points.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5"/>`);
    return ofSeries(at, `<polyline points="${points.join(' ')}"/>`, ...circles);
  });
  const axes = [
    ...ticks.map(
      (tick) => rule(left, y(tick), right, y(tick)) + text(left - 8, y(tick) + 4.5, figure(tick), 'faint right'),
    ),
    ...categories.map((category, at) => text(x(at), PLOT.height + 20, category, 'faint middle')),
  ];
  return { parts: [...axes, ...drawn, ...names], height: PLOT.height + 28 };
}

/** The contents of a chart as text, for people who cannot see it. */
const described = ({ unit, categories, series }: Chart): string =>
  series
    .map(({ name, values }) => {
      const points = values.map((value, at) => `${categories[at]} ${figure(value)}`);
      return `${name}, ${unit}: ${points.join('; ')}.`;
    })
    .join('\n');

/** A chart as SVG, light or dark as the reader prefers; the same text for the same chart. */
export function svgOf(chart: Chart): string {
  const { parts, height } = chart.kind === 'bars' ? bars(chart) : lines(chart);
  const title = wrapped(chart.title, TITLE_LETTERS);
  const top = MARGIN + title.length * 21;
  const whole = top + 2 * LINE + height + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${whole}" viewBox="0 0 ${WIDTH} ${whole}"
  role="img" aria-labelledby="title" aria-describedby="description">
<title id="title">${escaped(chart.title)}</title>
<desc id="description">${escaped(described(chart))}</desc>
<style>
${STYLE}
</style>
<rect width="100%" height="100%" rx="6" class="paper"/>
${title.map((line, at) => text(MARGIN, MARGIN + 13 + at * 21, line, 'title')).join('\n')}
${text(MARGIN, top + 11, chart.unit, 'faint')}
<g transform="translate(${MARGIN} ${top + 2 * LINE})">
${parts.join('\n')}
</g>
</svg>`;
}
