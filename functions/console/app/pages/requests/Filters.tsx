import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { keyText, useKeyOf } from '../../resources/authors.ts';
import { type RefusedRequest, useApiKeys } from '../../resources/data.ts';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { choicesOf } from '../../shared/choicesOf.ts';
import { countText, formatHour, formatMinute } from '../../shared/format.ts';
import type { HourCount } from './hourCounts.ts';
import { OPERATIONS, operationTitle, REASONS, titleOf } from './texts.ts';

/** Names of keys by their ids: those of the requests that were read and, for admins, all. */
function useKeyNames(): Map<string, string> {
  const own = useActing().acquirer.id;
  const { data: keys = [] } = useApiKeys(useMay('administer'));
  const keyOf = useKeyOf();
  const reads = useQueryClient().getQueriesData<{ pages?: { requests: RefusedRequest[] }[] }>({
    queryKey: [own, 'refused'],
  });
  const requests = reads.flatMap(([, read]) => read?.pages ?? []).flatMap((page) => page.requests);
  return new Map([
    ...requests.flatMap(({ key_id, key_label }) =>
      key_id ? [[key_id, keyText(keyOf(key_id, key_label))] as const] : [],
    ),
    ...keys.map((key) => [key.key_id, keyText(key)] as const),
  ]);
}

type Choices = [value: string, label: string][];

/** The hours that have refused requests, and those of which that is not known. */
function hourChoices(counts: HourCount[], chosen: number | undefined): Choices {
  const choices = counts
    .filter(({ at, count, isKnown }) => count > 0 || !isKnown || at === chosen)
    .map((each): [number, string] => [each.at, formatHour(each.at) + (each.isKnown ? ` · ${countText(each)}` : '')]);
  if (chosen !== undefined && counts.every(({ at }) => at !== chosen))
    choices.push([chosen, formatMinute(new Date(chosen).toISOString())]);
  return choices.map(([at, label]) => [new Date(at).toISOString(), label]);
}

const CODES = choicesOf(new Map(Object.keys(REASONS).map((code) => [code, titleOf(code)])));
const ALL_OPERATIONS = choicesOf(
  new Map(Object.entries(OPERATIONS).map(([operation, action]) => [operation, operationTitle(action)])),
);

export function Filters({ counts, hour }: { counts: HourCount[]; hour: number | undefined }) {
  const [values, change] = useAddress();
  const names = useKeyNames();
  const key = values.get('key');
  if (key && !names.has(key)) names.set(key, 'Another API key');
  const select = (param: string, name: string, all: string, choices: Choices) => (
    <NativeSelect
      className="filter"
      aria-label={name}
      value={values.get(param) ?? ''}
      data={[{ value: '', label: all }, ...choices.map(([value, label]) => ({ value, label }))]}
      onChange={(event) => change({ [param]: event.currentTarget.value })}
    />
  );
  return (
    <Group gap="sm" role="group" aria-label="Filters">
      {select('key', 'API key', 'All keys and people', choicesOf(names))}
      <TextInput
        type="date"
        className="filter"
        aria-label="Day"
        value={values.get('day') ?? ''}
        onChange={(event) => change({ day: event.currentTarget.value, hour: null })}
      />
      {select('hour', 'Hour', 'All hours', hourChoices(counts, hour))}
      {select('code', 'Reason', 'All reasons', CODES)}
      {select('operation', 'Operation', 'All operations', ALL_OPERATIONS)}
    </Group>
  );
}
