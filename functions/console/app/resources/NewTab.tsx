import { Anchor } from '@mantine/core';
import { useActing } from '../session/session.ts';
import { Verbatim } from '../shared/Verbatim.tsx';

/** A link to a thing, by its name. It opens in another tab, so that what was typed stays. */
export function NewTab({ to, children }: { to: string; children: string }) {
  return (
    <Anchor href={`/console/${useActing().acquirer.id}${to}`} target="_blank" inherit>
      <Verbatim>{children}</Verbatim>
    </Anchor>
  );
}
