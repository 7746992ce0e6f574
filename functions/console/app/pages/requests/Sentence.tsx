import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../estate/estatePage.ts';
import { FORMER, keyText, useKeyOf } from '../../resources/authors.ts';
import { nameOf, type RefusedRequest } from '../../resources/data.ts';
import { paths } from '../../resources/paths.ts';
import type { RunOf } from '../../resources/runs.ts';
import { filled } from '../../resources/Timeline.tsx';
import { Id } from '../../shared/Copy.tsx';
import { countText, formatNumber } from '../../shared/format.ts';
import { Strong } from '../../shared/Strong.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { actionOf, reasonOf } from './texts.ts';
import { timesOf, timesText } from './times.ts';

export type RefusedRun = RunOf<RefusedRequest>;

/** What people call branches, terminals and API keys, by their ids: as far as the person and the estate know it. */
export interface Names {
  branch: (mid: string) => string;
  terminal: (tid: string) => string | undefined;
  key: ReturnType<typeof useKeyOf>;
}

export function useNames(requests: RefusedRequest[]): Names {
  const idsOf = (name: 'mid' | 'tid') => [...new Set(requests.flatMap((request) => request[name] ?? []))];
  const { data } = useAnswer('names', { mids: idsOf('mid'), tids: idsOf('tid') });
  const branches = new Map(data?.branches.map((branch) => [branch.mid, nameOf(branch)]));
  const terminals = new Map(data?.terminals.map(({ tid, terminal_id }) => [tid, terminal_id]));
  const key = useKeyOf();
  return { branch: (mid) => branches.get(mid) ?? mid, terminal: (tid) => terminals.get(tid), key };
}

interface Shown {
  request: RefusedRequest;
  names: Names;
}

const Author = ({ request: { key_id, key_label, person }, names }: Shown) => (
  <Strong>{key_id === null ? (person?.name ?? FORMER) : keyText(names.key(key_id, key_label))}</Strong>
);

const ToThing = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} inherit className="wraps">
    {children}
  </Anchor>
);

/** The branch, terminal or webhook of a request, as a link to it. None is shown that is not accessible. */
export function Thing({ request: { mid, tid, webhook }, names }: Shown) {
  if (mid !== null)
    return (
      <ToThing href={paths.branch(mid)}>
        <Verbatim>{names.branch(mid)}</Verbatim>
      </ToThing>
    );
  if (tid !== null) {
    const name = names.terminal(tid);
    return <ToThing href={paths.terminal(tid)}>terminal {name && <Verbatim>{name}</Verbatim>}</ToThing>;
  }
  return webhook !== null && <ToThing href={paths.webhook(webhook)}>a webhook</ToThing>;
}

const thingOf = ({ mid, tid, webhook }: RefusedRequest): string | null => mid ?? tid ?? webhook;

/** What several requests are about: one thing, so many, or nothing that is accessible. */
function things(run: RefusedRun, names: Names, one: string, many: string): ReactNode {
  const ids = new Set(run.map(thingOf));
  if (ids.size > 1) return `${ids.has(null) ? 'several' : formatNumber(ids.size)} ${many}`;
  return ids.has(null) ? one : <Thing request={run[0]} names={names} />;
}

/**
 * Refused requests as a sentence: who tried what, and why it was refused.
 *
 * @param isComplete Whether there are no earlier ones like them that were not read.
 */
export function Sentence({ run, names, isComplete = true }: { run: RefusedRun; names: Names; isComplete?: boolean }) {
  const [request] = run;
  const times = timesOf(run, isComplete);
  const reasons = new Set(run.map(reasonOf));
  const pointers = new Set(run.map(({ errors: [error] }) => error?.pointer ?? ''));
  const [pointer] = pointers;
  const more = run.length === 1 ? request.errors.length - 1 + request.more_errors : 0;
  // Of any operations: only that of the first is known.
  if (request.code === 'rate_limited')
    return (
      <>
        <Author request={request} names={names} /> sent {countText(times)} {times.count === 1 ? 'request' : 'requests'}{' '}
        more than the rate limit allows
      </>
    );
  return (
    <>
      <Author request={request} names={names} /> tried{times.count > 1 && ` ${timesText(times)}`}
      {run.every(({ validate_only }) => validate_only) && ', as a check only,'} to{' '}
      {filled(actionOf(request.operation), {
        branch: things(run, names, 'a branch', 'branches'),
        terminal: things(run, names, 'a terminal', 'terminals'),
        webhook: things(run, names, 'a webhook', 'webhooks'),
      })}
      : {reasonOf(request)}
      {pointers.size === 1 && pointer && (
        <>
          , at <Id text={pointer} />
        </>
      )}
      {more > 0 && `, and ${formatNumber(more)} more`}
      {reasons.size > 1 && ', among others'}
    </>
  );
}
