import { expect } from '@jest/globals';
import { type ApiResponse, expectProblem } from '../../support/api.ts';
import { NAME_UUID, TIME } from '../../support/constants.ts';
import { storedBy, terminalItemOf } from '../../support/stored.ts';

type Fields = Record<string, unknown>;

/** An active terminal in a response, with `null` for fields that are not given. */
export const shownTerminal = (fields: Fields): Fields => ({
  tid: NAME_UUID,
  serial_no: null,
  terminal_model: null,
  payment_app: null,
  acquirer_name: null,
  status: 'active',
  created_at: TIME,
  updated_at: TIME,
  archived_at: null,
  archive_reason: null,
  ...fields,
});

/** The item of a terminal that was just created, from the response; `at` is its place in the request. */
export function storedTerminal({ status: _, ...shown }: Fields, at = 0): Fields {
  const fields = Object.entries(shown).filter(([, value]) => value !== null);
  const branch_order = `${shown['created_at']}#${String(at).padStart(3, '0')}#${shown['tid']}`;
  return { ...Object.fromEntries(fields), branch_order };
}

/** What a change makes of a terminal. `undefined` removes an attribute. */
interface Change {
  shown?: Fields;
  stored?: Fields;
  /** All other items that change, by `pk sk`; `null` for a deleted one. */
  others?: Fields;
}

/**
 * Changes a terminal, and asserts the whole response and everything that is stored.
 *
 * @param terminal The terminal as shown before, and after except for the change.
 * @param changeAt The change, made at this time.
 * @returns The terminal in the response.
 */
export async function expectChanged(
  terminal: Fields & { tid: string },
  run: () => Promise<ApiResponse>,
  changeAt: (at: string) => Change,
) {
  const before = await terminalItemOf(terminal.tid);
  const { response, changed } = await storedBy(run);
  expect(response.status).toBe(200);
  const { data } = response.body;
  const { shown, stored, others } = changeAt(data.updated_at);
  expect(data.updated_at > String(before?.['updated_at'])).toBe(true);
  expect(response.body).toEqual({ data: { ...terminal, ...shown, updated_at: TIME } });
  expect(changed).toEqual({
    [`TERMINAL#${terminal.tid} TERMINAL`]: { ...before, ...stored, updated_at: data.updated_at },
    ...others,
  });
  return data;
}

type Problem = Parameters<typeof expectProblem> extends [ApiResponse, ...infer Explained] ? Explained : never;

/** Asserts that a request gets this problem and stores nothing. */
export async function expectRefused(run: () => Promise<ApiResponse>, ...problem: Problem): Promise<void> {
  const { response, changed } = await storedBy(run);
  expectProblem(response, ...problem);
  expect(changed).toEqual({});
}

/** A terminal as shown after its branch was archived at this time. */
export const archivedWithBranch = (terminal: Fields, archived_at: string): Fields => ({
  ...terminal,
  status: 'archived',
  updated_at: archived_at,
  archived_at,
  archive_reason: 'Archived with its branch.',
});
