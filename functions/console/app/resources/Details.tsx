import type { ReactNode } from 'react';
import { labelOf } from '../fields/wording.ts';
import { Verbatim } from '../shared/Verbatim.tsx';

/** Values, each by the name of its field or another text. `null` is none. */
export const Details = ({ rows }: { rows: (false | [name: string, value: ReactNode])[] }) => (
  <dl className="details">
    {rows
      .filter((row) => row !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd className="wraps">{typeof value === 'string' ? <Verbatim>{value}</Verbatim> : (value ?? 'None')}</dd>
        </div>
      ))}
  </dl>
);
