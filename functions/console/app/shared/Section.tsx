import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of a view, with its heading. */
export const Section = ({ title, gap = 'md', children }: { title: string; gap?: 'sm' | 'md'; children: ReactNode }) => (
  <Stack gap={gap} component="section">
    <Title order={2}>{title}</Title>
    {children}
  </Stack>
);
