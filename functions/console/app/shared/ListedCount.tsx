import { Button, Group, Text } from '@mantine/core';

/** How many things are listed and, if filters are set, a button that clears them. */
export const ListedCount = ({ text, onClear }: { text: string; onClear: false | (() => void) }) => (
  <Group gap="sm" mih={28}>
    <Text c="dimmed" role="status">
      {text}
    </Text>
    {onClear && (
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Clear filters
      </Button>
    )}
  </Group>
);
