import { Group, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { StatusBadge } from '../resources/StatusBadge.tsx';
import { Marked } from '../shared/Marked.tsx';
import { Verbatim } from '../shared/Verbatim.tsx';

/** A hit of a search, with what of it was typed. */
export const Found = ({
  icon,
  name,
  place,
  typed,
  isId = false,
  status = 'active',
}: {
  icon?: ReactNode;
  name: string;
  /** Names and IDs, parted by ` · `. Each has its own direction. */
  place: string;
  typed: string;
  /** Whether the name is an identifier. */
  isId?: boolean;
  status?: 'active' | 'archived';
}) => (
  <Group gap="sm" wrap="nowrap">
    {icon}
    <Text span className="grows wraps">
      <span className={isId ? 'identifier' : undefined}>
        <Verbatim>
          <Marked text={name} typed={typed} />
        </Verbatim>
      </span>{' '}
      <Text span c="dimmed" inherit>
        {place.split(' · ').map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is told by its place alone
          <Fragment key={at}>
            {at > 0 && ' · '}
            <Verbatim>
              <Marked text={part} typed={typed} />
            </Verbatim>
          </Fragment>
        ))}
      </Text>
    </Text>
    {status === 'archived' && <StatusBadge status={status} size="sm" />}
  </Group>
);
