import { Button, Group, Stack, Timeline as Steps } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, User, Webhook } from 'lucide-react';
import type { Api, ConsoleSchemas } from '../../api/client.ts';
import { bodyOf } from '../../api/request.ts';
import type { Cell } from '../../files/csv.ts';
import { FORMER, keyName, keyText, useKeyOf } from '../../resources/authors.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { keyRoles, personRoles } from '../../resources/roles.ts';
import { entryOf, filled, Lines } from '../../resources/Timeline.tsx';
import { useActing } from '../../session/session.ts';
import { ownValue, useAddress } from '../../shared/address.ts';
import { formatClock } from '../../shared/format.ts';
import { ListedCount } from '../../shared/ListedCount.tsx';
import { Section } from '../../shared/Section.tsx';
import { Strong } from '../../shared/Strong.tsx';
import { useNow } from '../../shared/Time.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { byDay, dayName } from './days.ts';
import { ExportChanges, ExportProgress } from './Export.tsx';
import { shownText, useEarlier } from './earlier.ts';
import { exportPages } from './exportPages.ts';
import { CommonFilters } from './Filters.tsx';
import { spanOf } from './span.ts';

type Change = ConsoleSchemas['AccessChange'];

const TYPES: Record<Change['type'], { kind: string; sentence: string }> = {
  'api_key.issued': { kind: 'Key created', sentence: '{who} created the API key {key}' },
  'api_key.rotated': { kind: 'Key rotated', sentence: '{who} rotated the API key {rotated}: {end} replaces it' },
  'api_key.revoked': { kind: 'Key revoked', sentence: '{who} revoked the API key {key}' },
  'person.invited': { kind: 'Person invited', sentence: '{who} invited {invited} with the role {role}' },
  'invitation.revoked': { kind: 'Invitation revoked', sentence: '{who} revoked the invitation of {invited}' },
  'person.joined': { kind: 'Person joined', sentence: '{who} joined with the role {role}' },
  'person.role_changed': {
    kind: 'Role changed',
    sentence: '{who} changed the role of {person} from {before} to {role}',
  },
  'person.removed': { kind: 'Person removed', sentence: '{who} removed {person}' },
  'person.erased': { kind: 'Person erased', sentence: '{who} erased the name and address of {person}' },
  'webhook.created': { kind: 'Webhook created', sentence: '{who} created the webhook {webhook}' },
  'webhook.updated': { kind: 'Webhook changed', sentence: '{who} changed the webhook {webhook}' },
  'webhook.rotated': {
    kind: 'Webhook secret rotated',
    sentence: '{who} rotated the secret of the webhook {webhook}',
  },
  'webhook.rewound': { kind: 'Webhook rewound', sentence: '{who} rewound the webhook {webhook}' },
  'webhook.deleted': { kind: 'Webhook deleted', sentence: '{who} deleted the webhook {webhook}' },
};

const KINDS = Object.fromEntries(Object.entries(TYPES).map(([type, { kind }]) => [type, kind]));

/** What an update of a webhook did, by its status after it. */
const TURNED: Record<string, string> = {
  active: '{who} resumed the webhook {webhook}',
  paused: '{who} paused the webhook {webhook}',
};

type Keys = ReturnType<typeof useKeyOf>;

const ROLES: Record<string, { name: string }> = { ...keyRoles, ...personRoles };

/** Who made a change: a person, an API key or, without either, an operator. */
const authorOf = ({ by, by_key }: Change, keyOf: Keys): string =>
  by ? (by.name ?? FORMER) : by_key ? keyName(keyOf(by_key)) : 'Support';

/** Whom a change is about, with the address: several may have one name. */
const personText = (person: Change['person']) =>
  person?.name ? (
    <Verbatim>{person.email ? `${person.name} (${person.email})` : person.name}</Verbatim>
  ) : (
    FORMER.toLowerCase()
  );

/** The sentence of a change. Whoever removed themself has left, and an invitation is for a person without a name. */
function patternOf({ type, by, person, status }: Change): string {
  if (type === 'person.removed' && by?.id === person?.id) return '{who} left';
  if (type === 'person.erased' && !person) return '{who} erased the address of an invitation';
  return TURNED[status ?? ''] ?? TYPES[type].sentence;
}

function sentenceOf(change: Change, keyOf: Keys) {
  const { person, invited, label, ends_with, ends_with_before, role, role_before, origin } = change;
  return filled(patternOf(change), {
    who: <Strong>{authorOf(change, keyOf)}</Strong>,
    key: <Verbatim>{keyText({ label, ends_with })}</Verbatim>,
    rotated: <Verbatim>{keyText({ label, ends_with: ends_with_before })}</Verbatim>,
    end: <Verbatim>{`…${ends_with}`}</Verbatim>,
    person: personText(person),
    invited: invited ? <Verbatim>{invited}</Verbatim> : 'a person',
    role: ROLES[role ?? '']?.name,
    before: ROLES[role_before ?? '']?.name,
    webhook: <Verbatim>{origin}</Verbatim>,
  });
}

const iconOf = ({ key_id, webhook }: Change) => (key_id ? KeyRound : webhook ? Webhook : User);

/** The filters of an address, as the service takes them. */
function filtersOf(values: URLSearchParams) {
  const who = /^(person|key)\.(.+)/.exec(values.get('who') ?? '');
  const type = values.get('type');
  return {
    ...(ownValue(TYPES, type) && { type: type as Change['type'] }),
    ...(who && { [who[1] as string]: who[2] }),
    ...spanOf(values.get('day'), values.get('to')),
  };
}
type Filters = ReturnType<typeof filtersOf>;

const getPage = (api: Api, query: Filters & { before?: string; limit: number }, signal?: AbortSignal) =>
  api.GET('/console/api/access-changes', { params: { query }, ...(signal && { signal }) });

async function readPage(...args: Parameters<typeof getPage>) {
  const { data, meta } = await bodyOf(getPage(...args));
  return { ...(meta as ConsoleSchemas['AccessChangesMeta']), changes: data };
}

type Page = Awaited<ReturnType<typeof readPage>>;

const PAGE = 50;
/** To find some changes, the service reads as many as a page can have. */
const MOST = 100;

function useAccessChanges(filters: Filters) {
  const { api, acquirer } = useActing();
  const limit = Object.keys(filters).length > 0 ? MOST : PAGE;
  return useInfiniteQuery({
    queryKey: [acquirer.id, 'access-changes', filters],
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) => readPage(api, { ...filters, ...pageParam, limit }, signal),
    getNextPageParam: ({ next }) => next && { before: next },
  });
}

const COLUMNS = [
  ...['Time', 'Change', 'Who', "Who's address", 'API key', 'Key ends with', 'Replaced key ends with', 'Role'],
  ...['Role before', 'Person', "Person's address", 'Invited', 'Webhook'],
];

function rowOf(change: Change, keyOf: Keys): Cell[] {
  const { at, type, by, label, ends_with, ends_with_before, role, role_before, person, invited, origin } = change;
  return [
    ...[at, TYPES[type].kind, authorOf(change, keyOf), by?.email ?? null, label, ends_with, ends_with_before, role],
    ...[role_before, person && (person.name ?? FORMER), person?.email ?? null, invited, origin],
  ];
}

type Query = ReturnType<typeof useAccessChanges>;

/** The changes that were read, by day and to the second: an audit asks when. */
function Stream({ query, pages, keyOf }: { query: Query; pages: Page[]; keyOf: Keys }) {
  const [values, change] = useAddress();
  const now = useNow();
  const changes = pages.flatMap((page) => page.changes);
  const isFiltered = Object.keys(filtersOf(values)).length > 0;
  const { hasNextPage, isFetchingNextPage } = query;
  const { isSearching, search, stop } = useEarlier(query, changes.length);
  const read_to = pages.at(-1)?.read_to ?? null;
  const isNone = changes.length === 0 && read_to === null;
  const none = isFiltered ? 'Nothing that matches is kept.' : 'Nothing has changed yet.';
  return (
    <Stack gap="lg" align="stretch">
      <ListedCount
        text={isNone ? none : shownText(changes.length, read_to)}
        onClear={isFiltered && (() => change({ type: null, who: null, day: null, to: null }))}
      />
      {[...byDay(changes)].map(([day, ofDay]) => (
        <Section key={day} title={dayName(day, now)}>
          <Steps bulletSize={24} lineWidth={1} active={-1}>
            {ofDay.map((each) =>
              entryOf({ ...each, icon: iconOf(each) }, sentenceOf(each, keyOf), {
                time: <time dateTime={each.at}>{formatClock(each.at)}</time>,
              }),
            )}
          </Steps>
        </Section>
      ))}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage && !isFiltered} onClick={isSearching ? stop : search}>
            {isSearching && isFiltered ? 'Stop' : isFiltered ? 'Search earlier' : 'Load earlier'}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

export function AccessChanges() {
  const { api } = useActing();
  const [values] = useAddress();
  const filters = filtersOf(values);
  const query = useAccessChanges(filters);
  const keyOf = useKeyOf();
  const read = query.data?.pages.flatMap((page) => page.changes) ?? [];
  const authors = read.flatMap(({ by }): [string, string][] => (by ? [[`person.${by.id}`, by.name ?? FORMER]] : []));
  return (
    <Stack gap="lg">
      <Group gap="sm" role="group" aria-label="Filters">
        <CommonFilters kinds={KINDS} authors={authors} />
        <ExportChanges
          what="Changes of access"
          exportSpan={(span, control) =>
            exportPages(
              {
                columns: COLUMNS,
                read: (cursor) => getPage(api, { ...filters, ...span, ...cursor, limit: MOST }),
                rowsOf: (changes: Change[]) => changes.map((each) => rowOf(each, keyOf)),
              },
              control,
            )
          }
        />
      </Group>
      <ExportProgress what="Changes of access" />
      <Loaded query={query} outline={<Lines count={12} />}>
        {({ pages }) => <Stream key={JSON.stringify(filters)} query={query} pages={pages} keyOf={keyOf} />}
      </Loaded>
    </Stack>
  );
}
