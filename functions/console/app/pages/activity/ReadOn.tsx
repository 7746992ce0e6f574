import { Button } from '@mantine/core';
import type { useEarlier } from './earlier.ts';

/** Buttons that read the next page, and that stop reading while no page matches. */
export const ReadOn = ({
  label,
  isReading,
  reading: { isSearching, search, stop },
}: {
  label: string;
  isReading: boolean;
  reading: ReturnType<typeof useEarlier>;
}) => (
  <>
    <Button variant="default" loading={isReading} onClick={search}>
      {label}
    </Button>
    {isSearching && (
      <Button variant="subtle" onClick={stop}>
        Stop
      </Button>
    )}
  </>
);
