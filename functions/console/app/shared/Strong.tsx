import { Text } from '@mantine/core';

export const Strong = ({ children }: { children: string }) => (
  <Text span fw={600} c="bright" inherit className="wraps">
    <bdi>{children}</bdi>
  </Text>
);
