import { Tooltip } from '@mantine/core';
import { capitalized, formatDay, formatRelative, formatTime } from './format.ts';
import { observed } from './observed.ts';

const TICK_MS = 30_000;

const now = observed(Date.now());
const tick = () => now.set(Date.now());
setInterval(tick, TICK_MS);
// Browsers stop the timers of a tab that is out of sight.
document.addEventListener('visibilitychange', tick);

/** The present, every 30 seconds. */
export const useNow = (): number => now.use((time) => time);

export const Day = ({ at }: { at: string }) => <time dateTime={at}>{formatDay(at)}</time>;

/** A time as people say it. Pointing at it, or focusing it, shows the exact one, which is also printed. */
export function Time({ at }: { at: string }) {
  const text = formatRelative(at, useNow());
  return (
    <Tooltip label={formatTime(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is for those without a pointer too */}
      <time dateTime={at} data-exact={formatTime(at)} tabIndex={0}>
        {capitalized(text)}
      </time>
    </Tooltip>
  );
}
