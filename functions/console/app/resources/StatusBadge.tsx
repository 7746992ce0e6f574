import { Badge } from '@mantine/core';
import { Archive, Circle } from 'lucide-react';
import { STATUSES } from '../fields/wording.ts';

const LOOKS = {
  active: { color: 'teal', icon: <Circle size={8} fill="currentColor" /> },
  archived: { color: 'gray', icon: <Archive size={12} /> },
};

export const StatusBadge = ({ status, size = 'md' }: { status: 'active' | 'archived'; size?: 'sm' | 'md' | 'lg' }) => (
  <Badge variant="light" size={size} color={LOOKS[status].color} leftSection={LOOKS[status].icon}>
    {STATUSES[status]}
  </Badge>
);
