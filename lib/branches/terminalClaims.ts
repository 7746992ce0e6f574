import type { Acquirer } from '../acquirers/acquirer.ts';
import type { FieldError } from '../base/problem.ts';
import { type Key, masterAcquirerKey, paymentAppKey, serialKey, terminalKey, tidOf } from '../table/keys.ts';
import { type Claim, put, type Step } from '../table/transaction.ts';
import type { Terminal, TerminalInput, TerminalUpdate } from './terminal.ts';

export const claimKeys = ({ terminal_id, serial_no }: TerminalInput): Key[] => [
  terminalKey(tidOf(terminal_id)),
  ...(serial_no ? [serialKey(serial_no)] : []),
];

export const serialTaken = (pointer: string): FieldError => ({
  pointer: `${pointer}/serial_no`,
  code: 'taken',
  detail: 'Another terminal has this serial_no.',
});

/** The claims of a new terminal: its terminal_id, and its serial if it has one. */
export const claimsOf = (terminal: Terminal, pointer: string): Claim[] => {
  const { tid, serial_no, created_at } = terminal;
  const detail = 'Another terminal has this terminal_id.';
  const taken = { pointer: `${pointer}/terminal_id`, code: 'taken', detail };
  return [
    { key: terminalKey(tid), attributes: terminal, taken, since: created_at },
    ...(serial_no ? [{ key: serialKey(serial_no), attributes: { tid }, taken: serialTaken(pointer) }] : []),
  ];
};

const IS_OWN_OR_FREE = { expression: 'attribute_not_exists(pk) OR tid = :tid', refusal: [serialTaken('')] };

/** A step that claims a serial for an existing terminal, unless another one has it. Idempotent. */
export const claimSerial = (serialNo: string, tid: string): Step =>
  put(serialKey(serialNo), { tid }, { ...IS_OWN_OR_FREE, values: { ':tid': tid } });

interface RequiredReference {
  key: Key;
  fieldError: FieldError;
}

/** The references of a terminal, at a pointer into the request body, to the caller's reference data. */
export function references(
  acquirer: Acquirer,
  { payment_app, acquirer_name }: TerminalUpdate,
  pointer = '',
): RequiredReference[] {
  const named: [string | null | undefined, (acquirer: string, name: string) => Key, string, string][] = [
    [payment_app, paymentAppKey, 'payment_app', 'Must be one of your payment apps; see lookup paymentApp.'],
    [acquirer_name, masterAcquirerKey, 'acquirer_name', 'Must be one of your master acquirers; see lookup acquirers.'],
  ];
  return named.flatMap(([name, keyOf, field, detail]) =>
    name
      ? [{ key: keyOf(acquirer.id, name), fieldError: { pointer: `${pointer}/${field}`, code: 'not_found', detail } }]
      : [],
  );
}

/**
 * The field errors of reference data that a read did not find. The write does not check it again: all writes that name
 * the same payment app would conflict, and a name that was just removed does no harm.
 */
export const unknownOf = (wanted: RequiredReference[], found: unknown[]): FieldError[] =>
  wanted.flatMap(({ fieldError }, at) => (found[at] ? [] : [fieldError]));
