import { Stack, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { Event } from '../../shared/data.ts';
import { formatDay, formatNumber } from '../../shared/format.ts';
import { useNow } from '../../shared/Time.tsx';
import { byDay, dayOf } from './days.ts';

const DAYS = 30;

/**
 * How many changes there were on each of the last days. Shows nothing of a single day.
 *
 * @param since Since when all changes are loaded; `undefined` if that is ever.
 */
export function Chart({ events, since }: { events: Event[]; since: string | undefined }) {
  const now = useNow();
  const counts = byDay(events);
  const oldest = since === undefined ? 0 : dayOf(since).getTime();
  const days = Array.from({ length: DAYS }, (_, at) => {
    const day = dayOf(now, DAYS - 1 - at).getTime();
    const name = formatDay(new Date(day).toISOString());
    return { day, name, count: counts.get(day)?.length ?? 0, isLoaded: day >= oldest };
  });
  const most = Math.max(...days.map(({ count }) => count));
  if (days.filter(({ count }) => count > 0).length < 2) return null;
  const title = `Changes per day, of the last ${DAYS} days`;
  return (
    <Stack component="figure" gap="xs" m={0}>
      <div className="chart" aria-hidden>
        {days.map(({ day, name, count, isLoaded }) => (
          <Tooltip key={day} label={`${name}: ${isLoaded ? formatNumber(count) : 'not loaded'}`} openDelay={0}>
            <div className="chart-day">
              <div
                className="chart-bar"
                data-is={isLoaded ? (count > 0 ? 'some' : 'none') : 'unknown'}
                style={{ blockSize: `${(100 * count) / most}%` }}
              />
            </div>
          </Tooltip>
        ))}
      </div>
      <Text size="sm" c="dimmed" component="figcaption">
        {title}{' '}
        {since !== undefined &&
          oldest > (days[0]?.day ?? 0) &&
          `Loaded since ${formatDay(since)}. That day may have more.`}
      </Text>
      <VisuallyHidden>
        <Table>
          <Table.Caption>{title}</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>Changes</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days
              .filter(({ isLoaded }) => isLoaded)
              .map(({ day, name, count }) => (
                <Table.Tr key={day}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Table.Td>{formatNumber(count)}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </Stack>
  );
}
