import { ActionIcon, Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type ClipboardEvent, memo, useCallback, useRef, useState } from 'react';
import { fieldError, fieldErrors } from '../fields/fieldErrors.ts';
import { MOST_PER_REQUEST, TERMINAL, TERMINAL_FIELDS, type TerminalField } from '../fields/fields.ts';
import { type Typed, typedText, useLeft } from '../fields/useFields.ts';
import { labelOf } from '../fields/wording.ts';
import { readPasted } from '../files/readFile.ts';
import type { Pasted } from '../files/readTable.ts';
import { UnreadableFile } from '../files/unreadable.ts';
import { TerminalInput } from '../resources/TerminalInput.tsx';
import { formatNumber } from '../shared/format.ts';
import { useLeaving } from '../shared/useLeaving.ts';

/** A terminal that a person types. `id` tells rows apart, and is not sent. */
export type TerminalRow = Record<TerminalField | 'id', string>;

type ChangeRows = (change: (rows: TerminalRow[]) => TerminalRow[]) => void;

export const newRow = (): TerminalRow => ({
  id: crypto.randomUUID(),
  ...(Object.fromEntries(TERMINAL_FIELDS.map((name) => [name, ''])) as Record<TerminalField, string>),
});

export const terminalsOf = (rows: TerminalRow[]): Omit<TerminalRow, 'id'>[] =>
  rows.map(({ id: _, ...terminal }) => terminal);

export const areRowsValid = (rows: TerminalRow[]): boolean =>
  rows.every((row) => Object.keys(fieldErrors('terminal', row)).length === 0);

/** Puts pasted cells into the rows from a place on, as a spreadsheet does. */
const pasted = (rows: TerminalRow[], from: number, terminals: Pasted['terminals']): TerminalRow[] => [
  ...rows.slice(0, from),
  ...terminals.map((values, at) => ({
    ...(rows[from + at] ?? newRow()),
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typedText(name, value)])),
  })),
  ...rows.slice(from + terminals.length),
];

/** Puts serial numbers into the rows that have none, and into new ones. */
export function withSerials(rows: TerminalRow[], serials: string[]): TerminalRow[] {
  const left = [...serials];
  const filled = rows.map((row) => (row.serial_no === '' ? { ...row, serial_no: left.shift() ?? '' } : row));
  return [...filled, ...left.map((serial_no) => ({ ...newRow(), serial_no }))];
}

interface RowProps {
  row: TerminalRow;
  at: number;
  isTried: boolean;
  refused: Record<string, string>;
  isNew: boolean;
  onChange: ChangeRows;
  onPaste: (event: ClipboardEvent, from: number) => void;
  onRemove: ((id: string) => void) | undefined;
}

function Row({ row, at, isTried, refused, isNew, onChange, onPaste, onRemove }: RowProps) {
  const [left, leave] = useLeft();
  const number = formatNumber(at + 1);
  const field = (name: TerminalField) => {
    const isChecked = isTried || (left.has(name) && row[name] !== '');
    return {
      label: labelOf(name),
      value: row[name],
      error: (isChecked && fieldError('terminal', name, row[name])) || refused[name],
      onBlur: () => leave(name),
      onChange(next: Typed) {
        const value = typedText(name, next);
        onChange((rows) => rows.map((each) => (each.id === row.id ? { ...each, [name]: value } : each)));
      },
    };
  };
  return (
    <Fieldset variant="unstyled" legend={`Terminal ${number}`} className="terminal">
      {TERMINAL_FIELDS.map((name) => (
        <TerminalInput
          key={name}
          name={name}
          {...field(name)}
          data-scanned={TERMINAL[name].isScanned}
          {...(name === 'terminal_id' && {
            required: true,
            autoFocus: isNew,
            'data-autofocus': at === 0 || undefined,
            onPaste: (event: ClipboardEvent) => onPaste(event, at),
          })}
        />
      ))}
      {onRemove && (
        <ActionIcon
          size={36}
          className="terminal-remove"
          aria-label={`Remove terminal ${number}`}
          onClick={() => onRemove(row.id)}
        >
          <X size={16} />
        </ActionIcon>
      )}
    </Fieldset>
  );
}

const areSame = (one: Record<string, string>, other: Record<string, string>): boolean =>
  TERMINAL_FIELDS.every((name) => one[name] === other[name]);

/** A row that is rendered only when it changes: of 40 rows, a person types into one. */
const StableRow = memo(Row, ({ refused, ...before }, { refused: next, ...after }) => {
  const names = Object.keys(after) as (keyof typeof after)[];
  return areSame(refused, next) && names.every((name) => before[name] === after[name]);
});

/**
 * Terminals that a person types or pastes, one a row. What breaks a rule is said at its field once the person has left
 * it; what is missing, once they try to send. Enter goes on from code to code, and to a new row: see useScans.
 *
 * @param onChange Must be the same function each time.
 */
export function TerminalRows({
  rows,
  onChange,
  refused,
  isTried,
  least = 0,
  most = MOST_PER_REQUEST,
}: {
  rows: TerminalRow[];
  onChange: ChangeRows;
  refused: Record<string, string>;
  isTried: boolean;
  least?: number;
  most?: number;
}) {
  const [added, setAdded] = useState<string>();
  const [notes, setNotes] = useState<string[]>([]);
  const leaving = useLeaving();
  const addButton = useRef<HTMLButtonElement>(null);

  const add = () => {
    const row = newRow();
    setAdded(row.id);
    onChange((before) => [...before, row]);
  };
  const remove = useCallback(
    (id: string) => {
      onChange((before) => before.filter((row) => row.id !== id));
      addButton.current?.focus();
    },
    [onChange],
  );
  const paste = useCallback(
    async (event: ClipboardEvent, from: number) => {
      const text = event.clipboardData.getData('text');
      // One cell is text.
      if (!text.includes('\t') && !text.trim().includes('\n')) return;
      event.preventDefault();
      try {
        const { terminals, notes: odd } = await readPasted(text, leaving.current.signal);
        const leftOut = from + terminals.length - most;
        const tooMany =
          `${formatNumber(leftOut)} lines were left out: ` + `${formatNumber(most)} terminals can be added at once.`;
        setNotes(leftOut > 0 ? [...odd, tooMany] : odd);
        onChange((before) => pasted(before, from, terminals.slice(0, most - from)));
      } catch (error) {
        setNotes([error instanceof UnreadableFile ? error.message : 'What you pasted could not be read.']);
      }
    },
    [onChange, most, leaving],
  );
  const refusedAt = (at: number) =>
    Object.fromEntries(TERMINAL_FIELDS.map((name) => [name, refused[`terminals.${at}.${name}`] ?? '']));

  return (
    <Stack gap="md">
      {notes.length > 0 && (
        <Alert color="gray" role="status" className="wraps">
          {notes.map((note) => (
            <Text key={note}>{note}</Text>
          ))}
        </Alert>
      )}
      {rows.length > 0 && (
        <Stack gap="md" className="terminals">
          {rows.map((row, at) => (
            <StableRow
              key={row.id}
              row={row}
              at={at}
              isTried={isTried}
              refused={refusedAt(at)}
              isNew={row.id === added}
              onChange={onChange}
              onPaste={paste}
              onRemove={rows.length > least ? remove : undefined}
            />
          ))}
        </Stack>
      )}
      <Group gap="md">
        <Button
          ref={addButton}
          data-scanned
          variant="default"
          size="xs"
          leftSection={<Plus size={14} />}
          disabled={rows.length >= most}
          onClick={add}
        >
          Add a terminal
        </Button>
        {rows.length > 0 && (
          <Text size="sm" c="dimmed">
            To fill several rows, copy cells from a spreadsheet, with or without their header, and paste them into a
            terminal ID.
          </Text>
        )}
      </Group>
    </Stack>
  );
}
