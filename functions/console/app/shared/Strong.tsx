import { Text } from '@mantine/core';
import { Verbatim } from './Verbatim.tsx';

export const Strong = ({ children }: { children: string }) => (
  <Text span fw={600} c="bright" inherit className="wraps">
    <Verbatim>{children}</Verbatim>
  </Text>
);
