import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../resources/StatusBadge.tsx';
import { Verbatim } from '../shared/Verbatim.tsx';

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
      <Verbatim>{name}</Verbatim>{' '}
      <Text span c="dimmed" inherit>
        <Verbatim>{place}</Verbatim>
      </Text>
    </Text>
    {status === 'archived' && <StatusBadge status={status} size="sm" />}
  </Group>
);
