import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { ProblemError } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { useAddress } from '../../shared/address.ts';
import { Choices } from '../../shared/Choices.tsx';
import { type Exported, type ExportState, startExport } from '../../shared/exporting.ts';
import { formatNumber } from '../../shared/format.ts';
import { useJob } from '../../shared/job.ts';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { fileName } from '../../shared/save.ts';
import { Doing } from './Doing.tsx';
import { texts } from './texts.ts';

/** How long an export still takes, by how long it took so far. */
function timeLeft({ done, total, startedAt }: ExportState, now: number): string {
  const minutes = Math.round(((now - startedAt) * (total - done)) / done / 60_000);
  return minutes === 0 ? texts.export.leftLittle : texts.export.leftMinutes(formatNumber(minutes), minutes === 1);
}

/** Exports branches, or terminals of all branches. */
export function Export() {
  const { api, acquirer } = useActing();
  const [values, change] = useAddress();
  const [search, setSearch] = useState(values.get('search') ?? '');
  const what: Exported['what'] = values.get('what') === 'terminals' ? 'terminals' : 'branches';
  const key = `export ${acquirer.id}`;
  const job = useJob<ExportState>(key);
  const { progress, error } = job ?? {};
  const isRefused = error instanceof ProblemError && error.problem.code === 'invalid_query';
  const start = () => {
    const words = search.trim();
    change({ search: words }, { replace: true });
    void startExport(api, key, { what, search: words }, fileName(texts.export.choices[what].name, acquirer.name));
  };
  if (job?.stop)
    return (
      <Stack gap="xl">
        <Text c="dimmed">{texts.export.stay}</Text>
        <Doing
          label={texts.export.doing}
          done={progress?.done ?? 0}
          total={progress?.total ?? 0}
          job={job}
          stopLabel={texts.export.cancel}
        >
          {progress
            ? [
                texts.export.progress(formatNumber(progress.done), formatNumber(progress.total)),
                progress.done > 0 && timeLeft(progress, Date.now()),
              ]
                .filter(Boolean)
                .join(', ')
            : texts.export.begins}
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
        <Text c="dimmed">{texts.export.intro}</Text>
        <Choices
          label={texts.export.what}
          choices={texts.export.choices}
          value={what}
          onChange={(chosen) => change({ what: chosen === 'branches' ? null : chosen }, { replace: true })}
        />
        <TextInput
          type="search"
          label={texts.export.search}
          description={texts.export.all}
          placeholder={texts.export.placeholder}
          maxLength={255}
          value={search}
          error={isRefused && texts.export.unsearchable}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {error && !isRefused && <ProblemNotice error={error} onRetry={start} />}
        {job && !error && progress && (
          <Stack gap="xs" role="status">
            <Text>
              {texts.export.saved(progress.name)}{' '}
              {texts.export.ofBranches(formatNumber(progress.done), progress.done === 1)}
            </Text>
            {progress.isIncomplete && <Text>{texts.export.incomplete}</Text>}
          </Stack>
        )}
        <Group>
          <Button type="submit" leftSection={<Download size={16} aria-hidden />}>
            {texts.export.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
