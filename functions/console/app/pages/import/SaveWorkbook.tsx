import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import type { Cell } from '../../files/csv.ts';
import { inChunks, useSaving } from '../../jobs/useSaving.tsx';

/** A button that saves rows as a workbook, of which the first has the names of the columns. */
export function SaveWorkbook({ name, rows, children }: { name: string; rows: () => Cell[][]; children: string }) {
  const saving = useSaving(name);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={16} />}
        loading={saving.isRunning}
        onClick={() => {
          const [columns = [], ...others] = rows();
          saving.start(
            inChunks(columns, others, (some) => some),
            'xlsx',
            name,
          );
        }}
      >
        {children}
      </Button>
      {saving.notice}
    </>
  );
}
