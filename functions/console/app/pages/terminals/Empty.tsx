import { Button, Group } from '@mantine/core';
import { Link } from 'wouter';
import { Nothing } from '../../resources/ListPages.tsx';
import { useMay } from '../../session/session.ts';
import type { Filtering } from './Filters.tsx';

/** What is said in place of terminals, and what to do. */
export function Empty({ filtering, isFiltered }: { filtering: Filtering; isFiltered: boolean }) {
  const mayChange = useMay('change');
  if (isFiltered)
    return (
      <Nothing
        title="No terminal matches"
        detail={
          'Remove a filter, or shorten the text. It matches parts of IDs and serial numbers, and the ' +
          'names and places of branches.'
        }
      >
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
