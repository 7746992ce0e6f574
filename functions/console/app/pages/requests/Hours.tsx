import { Text } from '@mantine/core';
import { countText, formatHour } from '../../shared/format.ts';
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
  return (
    <Section title={title} gap="sm">
      <div className="hours" role="img" aria-label={`Most from ${formatHour(most.at)} on: ${countText(most)}`}>
        {counts.map(({ at, count, isKnown }, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: see above
          <div key={at} data-chosen={at === chosen || undefined} onClick={() => onChoose(at)}>
            <span>{at === most.at && count > 0 && countText(most)}</span>
            {count > 0 && <span className="bar" style={{ blockSize: `${(64 * count) / most.count}px` }} />}
            {!isKnown && <span>?</span>}
            <span className="hour-name">{index % LABELLED === 0 && formatHour(at)}</span>
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
