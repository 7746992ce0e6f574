import type { ReactNode } from 'react';
import { labelOf } from '../fields/wording.ts';
import { Verbatim } from '../shared/Verbatim.tsx';

/** Values, each by the name of its field or another text. `null` is none. */
type Values = (false | [name: string, value: ReactNode])[];

const List = ({ rows }: { rows: Values }) => (
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

/** Values of a thing. `more`: those that few people ask for, which can be opened. */
export const Details = ({ rows, more }: { rows: Values; more?: Values }) => (
  <>
    <List rows={rows} />
    {more && (
      <details>
        <summary>More</summary>
        <List rows={more} />
      </details>
    )}
  </>
);
