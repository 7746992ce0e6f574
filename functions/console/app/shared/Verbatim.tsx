import type { ReactNode } from 'react';

/**
 * What somebody wrote or named, as it is: a name, an address, an identifier. It is not translated, and its direction
 * changes nothing around it.
 */
export const Verbatim = ({ children }: { children: ReactNode }) => <bdi translate="no">{children}</bdi>;
