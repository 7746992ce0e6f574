import { Stack, Timeline as Steps } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound, User, Webhook } from 'lucide-react';
import type { ConsoleSchemas } from '../../api/client.ts';
import { bodyOf } from '../../api/request.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { keyRoles, personRoles } from '../../resources/roles.ts';
import { entryOf, FORMER, filled, Lines, LoadEarlier } from '../../resources/Timeline.tsx';
import { useActing } from '../../session/session.ts';
import { Strong } from '../../shared/Strong.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';

type Change = ConsoleSchemas['AccessChange'];

const SENTENCES: Record<Change['type'], string> = {
  'api_key.issued': '{who} created the API key {key}',
  'api_key.rotated': '{who} rotated the API key {key}',
  'api_key.revoked': '{who} revoked the API key {key}',
  'person.invited': '{who} invited {invited} with the role {role}',
  'invitation.revoked': '{who} revoked the invitation of {invited}',
  'person.joined': '{who} joined with the role {role}',
  'person.role_changed': '{who} changed the role of {person} from {before} to {role}',
  'person.removed': '{who} removed {person}',
  'webhook.created': '{who} created the webhook {webhook}',
  'webhook.updated': '{who} changed the webhook {webhook}',
  'webhook.rotated': '{who} rotated the secret of the webhook {webhook}',
  'webhook.rewound': '{who} rewound the webhook {webhook}',
  'webhook.deleted': '{who} deleted the webhook {webhook}',
};

/** What an update of a webhook did, by its status after it. */
const TURNED: Record<string, string> = {
  active: '{who} resumed the webhook {webhook}',
  paused: '{who} paused the webhook {webhook}',
};

const ROLES: Record<string, { name: string }> = { ...keyRoles, ...personRoles };

/** Who made a change: a person, an API key or, without either, an operator. */
const authorOf = ({ by, by_key }: Change): string =>
  by ? (by.name ?? FORMER) : by_key ? `The API key ${by_key}` : 'Support';

/** Whom a change is about, with the address: several may have one name. */
const personText = (person: Change['person']) =>
  person?.name ? (
    <Verbatim>{person.email ? `${person.name} (${person.email})` : person.name}</Verbatim>
  ) : (
    FORMER.toLowerCase()
  );

/** A change as a sentence. Whoever removed themself has left. */
function sentenceOf(change: Change) {
  const { type, by, person, invited, label, role, role_before, origin, status } = change;
  const hasLeft = type === 'person.removed' && by?.id === person?.id;
  return filled(hasLeft ? '{who} left' : (TURNED[status ?? ''] ?? SENTENCES[type]), {
    who: <Strong>{authorOf(change)}</Strong>,
    key: `“${label}”`,
    person: personText(person),
    invited: invited ? <Verbatim>{invited}</Verbatim> : 'a person',
    role: ROLES[role ?? '']?.name,
    before: ROLES[role_before ?? '']?.name,
    webhook: <Verbatim>{origin}</Verbatim>,
  });
}

const iconOf = ({ key_id, webhook }: Change) => (key_id ? KeyRound : webhook ? Webhook : User);

export function AccessChanges() {
  const { api, acquirer } = useActing();
  const query = useInfiniteQuery({
    queryKey: [acquirer.id, 'access-changes'],
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) =>
      bodyOf(api.GET('/console/api/access-changes', { params: { query: { limit: 50, ...pageParam } }, signal })),
    getNextPageParam: ({ meta: { next } }) => next && { before: next },
  });
  return (
    <Loaded query={query} outline={<Lines count={12} />}>
      {({ pages }) => (
        <Stack gap="md" align="flex-start">
          <Steps bulletSize={24} lineWidth={1} active={-1}>
            {pages
              .flatMap(({ data }) => data)
              .map((change) => entryOf({ ...change, icon: iconOf(change) }, sentenceOf(change)))}
          </Steps>
          <LoadEarlier query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
