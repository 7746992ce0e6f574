import { Anchor, List, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { isProblem } from '../../api/request.ts';
import { FORMER, keyText } from '../../resources/authors.ts';
import { Details } from '../../resources/Details.tsx';
import { type RefusedRequest, useRefusedRequest } from '../../resources/data.ts';
import { Loaded } from '../../resources/Loaded.tsx';
import { NotThere, PageTitle } from '../../resources/PageTitle.tsx';
import { problemUrl } from '../../resources/paths.ts';
import { Lines } from '../../resources/Timeline.tsx';
import { Id, Identifier } from '../../shared/Copy.tsx';
import { capitalized, countText, formatDuration, formatNumber, formatTime } from '../../shared/format.ts';
import { Section } from '../../shared/Section.tsx';
import { Verbatim } from '../../shared/Verbatim.tsx';
import { Sentence, Thing, useNames } from './Sentence.tsx';
import { faultText, titleOf } from './texts.ts';

const TITLE = 'Refused request';

function View({ request }: { request: RefusedRequest }) {
  const names = useNames([request]);
  const { request_id, at, operation, mid, tid, webhook, status, code, errors, more_errors } = request;
  const { key_id, key_label, person, duration_ms, weight, times, validate_only } = request;
  const thing = mid ? 'Branch' : tid ? 'Terminal' : webhook && 'Webhook';
  return (
    <>
      <PageTitle title={TITLE} trail={[['Requests', '/requests']]}>
        {formatTime(at)}
      </PageTitle>
      <Stack gap="sm" align="flex-start">
        <Text className="wraps">
          <Sentence run={[request]} names={names} />.
        </Text>
        <Anchor href={problemUrl(code)} target="_blank" className="alone">
          What to do: {titleOf(code)}
        </Anchor>
      </Stack>
      {errors.length + more_errors > 1 && (
        <Section title="Fields that need a correction">
          <List spacing="xs">
            {errors.map((error) => (
              <List.Item key={error.pointer + error.code} className="wraps">
                {capitalized(faultText(error))}
                {error.pointer && (
                  <>
                    , at <Id text={error.pointer} />
                  </>
                )}
              </List.Item>
            ))}
            {more_errors > 0 && <List.Item>{formatNumber(more_errors)} more</List.Item>}
          </List>
        </Section>
      )}
      <Section title="Details">
        <Details
          rows={[
            ['Request ID', <Identifier key="id" text={request_id} />],
            ['Operation', operation && <Id text={operation} />],
            thing !== null && [thing, <Thing key="thing" request={request} names={names} />],
            ['Response', <Id key="code" text={`${status} ${code}`} />],
            key_id !== null && [
              'API key',
              <>
                <Verbatim>{keyText(names.key(key_id, key_label))}</Verbatim> <Id text={key_id} />
              </>,
            ],
            person !== null && ['Person', person.name ?? FORMER],
            validate_only && ['Only a check', 'Yes, it would have changed nothing'],
            times > 1 && [
              'Such requests',
              `${capitalized(countText({ count: times, isLeast: true }))} in one window of the rate limit`,
            ],
            ['Duration', formatDuration(duration_ms)],
            ['Weight on the rate limit', formatNumber(weight)],
          ]}
        />
      </Section>
      <Text c="dimmed" maw={640}>
        Give the address of this page to whoever maintains the program: any person of yours can open it. What the
        request contained is not kept.
      </Text>
    </>
  );
}

export default function RequestView() {
  const { id = '' } = useParams();
  const query = useRefusedRequest(id);
  if (isProblem(query.error, 'not_found'))
    return (
      <NotThere title="No refused request has this ID">
        It was not refused, it is older than 30 days, or it belongs to somebody else.{' '}
        <Anchor component={Link} href="/requests">
          All refused requests
        </Anchor>
      </NotThere>
    );
  return (
    <Loaded query={query} outline={<Lines count={8} />} heading={TITLE}>
      {(request) => <View request={request} />}
    </Loaded>
  );
}
