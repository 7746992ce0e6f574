import { Text } from '@mantine/core';
import { formatHour, formatNumber } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import type { HourCount } from './hourCounts.ts';

const LABELLED = 6;

/**
 * How many requests were refused in each hour. It is a picture: the field for the hour has the figures, and chooses one
 * without a pointer.
 */
export function Hours({
  title,
  counts,
  chosen,
  onChoose,
}: {
  title: string;
  counts: HourCount[];
  chosen: number | undefined;
  onChoose: (hour: number) => void;
}) {
  const most = counts.reduce((one, other) => (other.count > one.count ? other : one));
  const hour = (at: number) => formatHour(at);
  return (
    <Section title={title} gap="sm">
      <div className="hours" role="img" aria-label={`Most from ${hour(most.at)} on: ${formatNumber(most.count)}`}>
        {counts.map(({ at, count, isKnown }, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: see above
          <div key={at} data-chosen={at === chosen || undefined} onClick={() => onChoose(at)}>
            <span className="hour-count">{count > 0 && count === most.count && formatNumber(count)}</span>
            {count > 0 && <span className="bar" style={{ blockSize: `${(64 * count) / most.count}px` }} />}
            {!isKnown && <span className="hour-unknown">?</span>}
            <span className="hour-name">{index % LABELLED === 0 && hour(at)}</span>
          </div>
        ))}
      </div>
      {counts.some(({ isKnown }) => !isKnown) && (
        <Text size="sm" c="dimmed">
          Hours with a question mark are not counted: there are more refused requests than were read.
        </Text>
      )}
    </Section>
  );
}
