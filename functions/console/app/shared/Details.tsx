import type { ReactNode } from 'react';

/** Values by name. */
export const Details = ({ rows }: { rows: (false | [name: string, value: ReactNode])[] }) => (
  <dl className="details">
    {rows
      .filter((row) => row !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="wraps">{value}</dd>
        </div>
      ))}
  </dl>
);
