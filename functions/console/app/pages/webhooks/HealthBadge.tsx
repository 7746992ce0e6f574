import { Badge } from '@mantine/core';
import { Ban, Circle, type LucideIcon, Pause, TriangleAlert } from 'lucide-react';
import type { State } from './health.ts';

const LOOKS: Record<State, { word: string; color: string; icon: LucideIcon }> = {
  delivers: { word: 'Delivers', color: 'teal', icon: Circle },
  fails: { word: 'Fails', color: 'red', icon: TriangleAlert },
  paused: { word: 'Paused', color: 'gray', icon: Pause },
  disabled: { word: 'Disabled', color: 'red', icon: Ban },
  suspended: { word: 'Suspended', color: 'yellow', icon: Ban },
};

export function HealthBadge({ state, size = 'md' }: { state: State; size?: 'md' | 'lg' }) {
  const { word, color, icon: Icon } = LOOKS[state];
  return (
    <Badge
      variant="light"
      size={size}
      color={color}
      leftSection={state === 'delivers' ? <Icon size={8} fill="currentColor" /> : <Icon size={12} />}
    >
      {word}
    </Badge>
  );
}
