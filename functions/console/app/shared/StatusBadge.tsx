import { Badge } from '@mantine/core';
import { Archive, Circle } from 'lucide-react';
import { texts } from './texts.ts';

const LOOKS = {
  active: { color: 'teal', icon: <Circle size={8} fill="currentColor" aria-hidden /> },
  archived: { color: 'gray', icon: <Archive size={12} aria-hidden /> },
};

/** A status by word, shape and colour. */
export const StatusBadge = ({ status, size = 'md' }: { status: 'active' | 'archived'; size?: 'sm' | 'md' | 'lg' }) => (
  <Badge variant="light" size={size} color={LOOKS[status].color} leftSection={LOOKS[status].icon}>
    {texts.status[status]}
  </Badge>
);
