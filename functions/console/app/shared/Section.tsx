import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of a view, with its heading and what is at the end of its line. */
export const Section = ({
  title,
  end,
  gap = 'md',
  className,
  children,
}: {
  title: string;
  end?: ReactNode;
  gap?: 'sm' | 'md';
  className?: string;
  children: ReactNode;
}) => (
  <Stack gap={gap} component="section" {...(className && { className })}>
    <Group justify="space-between" gap="sm">
      <Title order={2}>{title}</Title>
      {end}
    </Group>
    {children}
  </Stack>
);
