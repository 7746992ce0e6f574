import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Cell } from '../../files/csv.ts';
import { inChunks, saveTable } from '../../jobs/saveTable.ts';

/** A button that saves rows as a workbook, of which the first has the names of the columns. */
export function SaveWorkbook({ name, rows, children }: { name: string; rows: () => Cell[][]; children: string }) {
  const [isSaving, setIsSaving] = useState(false);
  return (
    <Button
      variant="default"
      leftSection={<Download size={16} />}
      loading={isSaving}
      onClick={() => {
        setIsSaving(true);
        const [columns = [], ...others] = rows();
        const chunks = inChunks(columns, others, (some) => some);
        void saveTable(chunks, 'xlsx', name).finally(() => setIsSaving(false));
      }}
    >
      {children}
    </Button>
  );
}
