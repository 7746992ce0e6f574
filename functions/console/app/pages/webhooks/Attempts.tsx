import { Button, Stack, Timeline as Steps, Text } from '@mantine/core';
import { ArrowUp, Check, X } from 'lucide-react';
import { useState } from 'react';
import { Details } from '../../resources/Details.tsx';
import { type Delivery, useDeliveries } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { entryOf, Lines, LoadEarlier } from '../../resources/Timeline.tsx';
import { Identifier } from '../../shared/Copy.tsx';
import { formatDuration, formatNumber, formatRelative } from '../../shared/format.ts';
import { useNow } from '../../shared/Time.tsx';
import { answerOf, isDelivered } from './health.ts';

const changesText = (count: number): string => (count === 1 ? '1 change' : `${formatNumber(count)} changes`);

/** What was sent, and what became of it. A page without changes says that some were missed. */
function sentenceOf(delivery: Delivery): string {
  const { events, duration_ms } = delivery;
  const what = events === 0 ? 'The notice that changes were missed' : changesText(events);
  const took = formatDuration(duration_ms);
  return isDelivered(delivery)
    ? `${what} delivered in ${took}.`
    : `${what} not delivered: your server ${answerOf(delivery)}, after ${took}.`;
}

function What({ delivery }: { delivery: Delivery }) {
  const now = useNow();
  const { attempt, next_attempt_at, disabled } = delivery;
  const isAhead = next_attempt_at !== null && Date.parse(next_attempt_at) > now;
  return (
    <>
      {sentenceOf(delivery)}
      {attempt > 1 && ` Attempt ${formatNumber(attempt)}.`}
      {isAhead && ` Next attempt ${formatRelative(next_attempt_at, now)}.`}
      {disabled && ' It disabled the webhook.'}
    </>
  );
}

/** What developers compare with the log of their server. */
function Technical({ delivery: { id, status, first_event, last_event } }: { delivery: Delivery }) {
  const identifier = (text: string | null) => text && <Identifier text={text} />;
  return (
    <Details
      rows={[
        ['Status', status === null ? null : String(status)],
        ['webhook-id', identifier(id)],
        ['First event', identifier(first_event)],
        ['Last event', identifier(last_event)],
      ]}
    />
  );
}

/**
 * The attempts of a webhook, the newest first. While a person reads earlier ones, newer ones wait behind a button: they
 * would move what the person reads.
 *
 * @param latest When the newest attempt began.
 */
export function Attempts({ id, latest }: { id: string; latest: string | undefined }) {
  const [shown, setShown] = useState(latest);
  const [opened, setOpened] = useState<string>();
  const query = useDeliveries(id, shown);
  const hasEarlier = (query.data?.pages.length ?? 0) > 1;
  if (shown !== latest && !hasEarlier) setShown(latest);
  return (
    <Loaded query={query} outline={<Lines count={6} />}>
      {({ pages }) => {
        const deliveries = pages.flatMap(({ data }) => data);
        if (deliveries.length === 0) return <Text c="dimmed">There was no attempt in the last seven days.</Text>;
        return (
          <Stack gap="md" align="flex-start">
            {shown !== latest && (
              <Button
                size="compact-md"
                radius="xl"
                leftSection={<ArrowUp size={14} />}
                onClick={() => setShown(latest)}
              >
                Newer attempts
              </Button>
            )}
            <Steps bulletSize={24} lineWidth={1} active={-1}>
              {deliveries.map((delivery) => {
                const [icon, color] = isDelivered(delivery) ? [Check, 'gray'] : [X, 'red'];
                // Attempts to deliver the same page share its id.
                const id = `${delivery.id} ${delivery.at}`;
                const isOpen = id === opened;
                return entryOf({ id, at: delivery.at, icon, color }, <What delivery={delivery} />, {
                  end: (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-expanded={isOpen}
                      onClick={() => setOpened(isOpen ? undefined : id)}
                    >
                      Details
                    </Button>
                  ),
                  more: isOpen && <Technical delivery={delivery} />,
                });
              })}
            </Steps>
            <LoadEarlier query={query} />
          </Stack>
        );
      }}
    </Loaded>
  );
}
