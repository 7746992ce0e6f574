/* Numbers and times, in the language of the page. */

/** The language of the page: the English that the browser prefers, or one that writes days before months. */
export const LANGUAGE = navigator.languages.find((each) => /^en\b/i.test(each)) ?? 'en-GB';

const numbers = new Intl.NumberFormat(LANGUAGE);
const shares = new Intl.NumberFormat(LANGUAGE, { style: 'percent' });
const milliseconds = new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit: 'millisecond' });
const seconds = new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit: 'second', maximumFractionDigits: 1 });
const exact = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'medium' });
const minutes = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'medium' });
const hours = new Intl.DateTimeFormat(LANGUAGE, { timeStyle: 'short' });
export const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });

export const formatNumber = (value: number): string => numbers.format(value);
/** How many there are; or at least, if not all were read. */
export const countText = ({ count, isLeast }: { count: number; isLeast: boolean }): string =>
  `${isLeast ? 'at least ' : ''}${formatNumber(count)}`;
export const formatShare = (value: number): string => shares.format(value);
export const formatTime = (time: string): string => exact.format(new Date(time));
/** A time in a sentence, where seconds say nothing. */
export const formatMinute = (time: string): string => minutes.format(new Date(time));
export const formatDay = (time: string): string => days.format(new Date(time));

/** A time of a day that is known, to the second. */
export const formatClock = (time: string): string => clock.format(new Date(time));
/** The hour that begins at a time, in milliseconds. */
export const formatHour = (time: number): string => hours.format(time);
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? milliseconds.format(ms) : seconds.format(ms / 1_000);

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** How long ago a time was, or how far ahead it is, such as `5 minutes ago`. */
export function formatRelative(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  // Within a minute, "now": clocks of the browser and the service differ.
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.trunc(seconds / size), unit);
}
