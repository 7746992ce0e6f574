import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type RefusedRequest, useApiKeys } from '../../resources/data.ts';
import { useActing, useMay } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { choicesOf } from '../../shared/choicesOf.ts';
import { countText, formatHour, formatMinute } from '../../shared/format.ts';
import type { HourCount } from './hourCounts.ts';
import { OPERATIONS, operationTitle, REASONS, titleOf } from './texts.ts';

/** Labels of keys by their ids: those of the requests that were read and, for admins, all. */
function useKeyLabels(): Map<string, string> {
  const own = useActing().acquirer.id;
  const { data: keys = [] } = useApiKeys(useMay('administer'));
  const reads = useQueryClient().getQueriesData<{ pages?: { requests: RefusedRequest[] }[] }>({
    queryKey: [own, 'refused'],
  });
  const requests = reads.flatMap(([, read]) => read?.pages ?? []).flatMap((page) => page.requests);
  return new Map([
    ...requests.flatMap(({ key_id, key_label }) => (key_id ? [[key_id, key_label ?? key_id] as const] : [])),
    ...keys.map(({ key_id, label, ends_with }) => [key_id, `${label} …${ends_with}`] as const),
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
  const labels = useKeyLabels();
  const key = values.get('key');
  if (key && !labels.has(key)) labels.set(key, 'Another API key');
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
      {select('key', 'API key', 'All keys and people', choicesOf(labels))}
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
