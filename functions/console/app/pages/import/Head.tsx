import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export const Head = ({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) => (
  <Group justify="space-between" align="flex-start" gap="md">
    <Stack gap="xs" className="grows">
      <Title order={2} fz="xl" className="wraps">
        {title}
      </Title>
      {children && (
        <Text component="div" c="dimmed" className="wraps" maw={640}>
          {children}
        </Text>
      )}
    </Stack>
    {actions && <Group gap="sm">{actions}</Group>}
  </Group>
);
