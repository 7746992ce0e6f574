import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../shared/StatusBadge.tsx';

export const Found = ({
  icon,
  name,
  place,
  status,
}: {
  icon?: ReactNode;
  name: ReactNode;
  place: string;
  status: 'active' | 'archived';
}) => (
  <Group gap="sm" wrap="nowrap">
    {icon}
    <Text span className="grows clipped">
      <bdi>{name}</bdi>{' '}
      <Text span c="dimmed" inherit>
        <bdi>{place}</bdi>
      </Text>
    </Text>
    {status === 'archived' && <StatusBadge status={status} size="sm" />}
  </Group>
);
