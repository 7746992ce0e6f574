import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { nameOf, UNNAMED } from '../../resources/data.ts';
import { Nothing } from '../../resources/ListPages.tsx';
import { paths } from '../../resources/paths.ts';
import { SEARCH_FAILED, useSearch } from '../../search/useSearch.ts';
import { useMay } from '../../session/session.ts';
import { formatDay, formatNumber } from '../../shared/format.ts';
import { Verbatim } from '../../shared/Verbatim.tsx';
import type { Filtering } from './Filters.tsx';

const Hit = ({ to, name, rest }: { to: string; name: string; rest: string }) => (
  <Text className="wraps">
    <Anchor component={Link} href={to} inherit>
      <Verbatim>{name}</Verbatim>
    </Anchor>{' '}
    <Text span c="dimmed" inherit>
      <Verbatim>{rest}</Verbatim>
    </Text>
  </Text>
);

/** What the search box finds by a text that no terminal of the table has. */
export function Elsewhere({ text }: { text: string }) {
  const { data, error, isOutdated } = useSearch(text);
  if (error) return <Text c="dimmed">{SEARCH_FAILED}</Text>;
  if (!data || isOutdated) return <Text c="dimmed">Searching everything…</Text>;
  const { terminals, released, branches, total_branches } = data;
  if (terminals.length + released.length + branches.length === 0) return null;
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>The search of everything finds</Text>
      {terminals.map(({ tid, terminal_id, branch }) => (
        <Hit key={tid} to={paths.terminal(tid)} name={terminal_id} rest={`at ${nameOf(branch)}`} />
      ))}
      {released.map(({ tid, terminal_id, until }) => (
        <Text key={tid} className="wraps">
          A released serial number: until {formatDay(until)} in terminal{' '}
          <Anchor component={Link} href={paths.terminal(tid)} inherit>
            <Verbatim>{terminal_id}</Verbatim>
          </Anchor>
        </Text>
      ))}
      {branches.map(({ mid, merchant_name, city }) => (
        <Hit
          key={mid}
          to={paths.branch(mid)}
          name={merchant_name ?? UNNAMED}
          rest={[city, mid].filter(Boolean).join(' · ')}
        />
      ))}
      {total_branches > branches.length && (
        <Anchor component={Link} href={`/branches?${new URLSearchParams({ search: text.trim() })}`}>
          Show all {formatNumber(total_branches)} branches
        </Anchor>
      )}
    </Stack>
  );
}

/** What is said in place of terminals, and what to do. */
export function Empty({ filtering, isFiltered }: { filtering: Filtering; isFiltered: boolean }) {
  const mayChange = useMay('change');
  const { text } = filtering.criteria;
  if (isFiltered)
    return (
      <Nothing
        title="No terminal matches"
        detail={
          'Remove a filter, or shorten the text. It matches parts of IDs and serial numbers, and the ' +
          'names and places of branches.'
        }
      >
        {text.trim() !== '' && <Elsewhere text={text} />}
        <Button variant="default" onClick={filtering.clear}>
          Clear all filters
        </Button>
      </Nothing>
    );
  return (
    <Nothing
      title="There are no terminals yet"
      detail={
        mayChange
          ? 'Create a branch with its terminals, or import a list of branches and terminals.'
          : 'An operator or admin can create or import them.'
      }
    >
      {mayChange && (
        <Group gap="sm">
          <Button component={Link} href="/new-branch">
            New branch
          </Button>
          <Button component={Link} href="/import" variant="default">
            Import
          </Button>
        </Group>
      )}
    </Nothing>
  );
}
