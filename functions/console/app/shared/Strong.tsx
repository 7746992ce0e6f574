import { Text } from '@mantine/core';

/** A name within a sentence. */
export const Strong = ({ children }: { children: string }) => (
  <Text span fw={600} c="bright" inherit className="wraps">
    <bdi>{children}</bdi>
  </Text>
);
