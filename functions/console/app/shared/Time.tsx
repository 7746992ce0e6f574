import { Tooltip } from '@mantine/core';
import { useNow } from '../clock.ts';
import { formatRelative, formatTime } from './format.ts';

/** A time as people say it. Pointing at it, or focusing it, shows the exact one. */
export function Time({ at, capitalized = false }: { at: string; capitalized?: boolean }) {
  const text = formatRelative(at, useNow());
  return (
    <Tooltip label={formatTime(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time is for those without a pointer too */}
      <time dateTime={at} tabIndex={0}>
        {capitalized ? text.charAt(0).toLocaleUpperCase() + text.slice(1) : text}
      </time>
    </Tooltip>
  );
}
