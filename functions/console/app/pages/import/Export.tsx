import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { isProblem } from '../../api/request.ts';
import type { Format } from '../../bulk/export.ts';
import { Doing } from '../../jobs/Doing.tsx';
import { type Exported, type ExportState, startExport } from '../../jobs/exporting.ts';
import { useJob } from '../../jobs/job.ts';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { useActing } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { Choices, type ChoiceTexts } from '../../shared/Choices.tsx';
import { formatNumber } from '../../shared/format.ts';
import { fileName } from '../../shared/save.ts';
import { MOST_CHARACTERS, UNSEARCHABLE } from '../../shared/searchedText.ts';
import { counted } from './cells.ts';

const CHOICES = {
  branches: { name: 'Branches', detail: 'A row for each branch.' },
  terminals: { name: 'Terminals', detail: 'A row for each terminal, with its branch.' },
};
const FORMAT_CHOICES = {
  xlsx: { name: 'Excel workbook', detail: 'Keeps leading zeros and long numbers.' },
  csv: {
    name: 'CSV',
    detail:
      'For other programs. When Excel opens it directly, it drops leading zeros and digits beyond the fifteenth: ' +
      'choose Data, From Text/CSV there, and Text as the type of the columns.',
  },
} satisfies ChoiceTexts<Format>;

/** How far an export is, and how long it still takes, by how long it took so far. */
function progressText({ done, total, startedAt }: ExportState): string {
  const progress = `${formatNumber(done)} of ${formatNumber(total)} branches`;
  if (done === 0) return progress;
  const minutes = Math.round(((Date.now() - startedAt) * (total - done)) / done / 60_000);
  return `${progress}, ${minutes === 0 ? 'less than a minute' : `about ${counted(minutes, 'minute')}`} left`;
}

/** Exports branches, or terminals of all branches. */
export function Export() {
  const { api, acquirer } = useActing();
  const [values, change] = useAddress();
  const [search, setSearch] = useState(values.get('search') ?? '');
  const what: Exported['what'] = values.get('what') === 'terminals' ? 'terminals' : 'branches';
  const format: Format = values.get('format') === 'csv' ? 'csv' : 'xlsx';
  const key = `export ${acquirer.id}`;
  const job = useJob<ExportState>(key);
  const { progress, error } = job ?? {};
  const isRefused = isProblem(error, 'invalid_query');
  const start = () => {
    const words = search.trim();
    change({ search: words }, { replace: true });
    void startExport(api, key, { what, format, search: words }, fileName(format, CHOICES[what].name, acquirer.name));
  };
  if (job?.stop)
    return (
      <Stack gap="xl">
        <Text c="dimmed">You can look elsewhere in the console meanwhile.</Text>
        <Doing label="Export" done={progress?.done ?? 0} total={progress?.total ?? 0} job={job} stopLabel="Cancel">
          {progress ? progressText(progress) : 'Starting.'}
        </Doing>
      </Stack>
    );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <Stack gap="xl" maw={640}>
        <Text c="dimmed">A file for a spreadsheet, which can be imported again.</Text>
        <Choices
          label="What"
          choices={CHOICES}
          value={what}
          onChange={(chosen) => change({ what: chosen === 'branches' ? null : chosen }, { replace: true })}
        />
        <Choices
          label="Format"
          choices={FORMAT_CHOICES}
          value={format}
          onChange={(chosen) => change({ format: chosen === 'xlsx' ? null : chosen }, { replace: true })}
        />
        <TextInput
          type="search"
          label="Filter by branch"
          description="Leave this empty to export all branches."
          placeholder="Words of a name, city or business, or a MID"
          maxLength={MOST_CHARACTERS}
          value={search}
          error={isRefused && UNSEARCHABLE}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {error && !isRefused && <ProblemNotice error={error} onRetry={start} />}
        {job && !error && progress && (
          <Stack gap="xs" role="status">
            <Text>
              {progress.name} is saved. It covers {counted(progress.done, 'branch', 'branches')}.
            </Text>
            {progress.isIncomplete && (
              <Text>Branches may be missing: very many have each of these words. Type rarer words.</Text>
            )}
          </Stack>
        )}
        <Group>
          <Button type="submit" leftSection={<Download size={16} />}>
            Export
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
