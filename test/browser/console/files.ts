import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer, unique } from '../../support/world.ts';

/* Files to import, and files that were saved. */

export const HEADER = [
  'MID',
  'Shop',
  'Town',
  'Company ID',
  'E-Mail',
  'MCC',
  'Terminal',
  'Serial',
  'Model',
  'Opening hours',
];
export type Row = string[];
export const [TOWN, TERMINAL, SERIAL, MODEL] = [2, 6, 7, 8] as const;

/** Rows of new branches with 5 terminals each. */
export function newRows(count: number): Row[] {
  const company = unique('CO');
  let mid = '';
  return Array.from({ length: count }, (_, at) => {
    if (at % 5 === 0) mid = unique('B');
    return [mid, 'Harbour', 'Porto', company, 'a@example.com', '5940', unique('T'), unique('S'), 'Handheld 2', '9-18'];
  });
}

/** The bytes of a file. */
export const csv = (rows: string[][]): Buffer =>
  Buffer.from(rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n'));

export const choose = (page: Page, rows: string[][]) =>
  page.setInputFiles('input[type=file]', { name: 'estate.csv', mimeType: 'text/csv', buffer: csv([HEADER, ...rows]) });

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Chooses a file and checks its rows. */
export async function check(page: Page, rows: string[][]): Promise<void> {
  await choose(page, rows);
  await button(page, 'Check all rows').click();
  await button(page, /^Import /).waitFor();
}

export const records = (text: string): Record<string, string>[] =>
  parse<Record<string, string>>(text, { bom: true, columns: true });

/** Saves what a click downloads. */
export async function downloaded(page: Page, click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** The outcome of each row in the report, with the codes of its problems. */
export async function reported(page: Page): Promise<Map<number, string>> {
  const { name, text } = await downloaded(page, () => button(page, 'Download the report').click());
  expect(name).toMatch(/^(?:check|import)-\d{4}-\d\d-\d\d\.csv$/);
  return new Map(records(text).map(({ line, outcome = '', code }) => [Number(line), code || outcome]));
}

/** Expects that exactly the rows without a mistake were created, each once. */
export async function expectCreated(acquirer: Caller, rows: Row[], isBad: (at: number) => boolean = () => false) {
  const wanted = Map.groupBy(
    rows.filter((_, at) => !isBad(at)),
    ([mid = '']) => mid,
  );
  const found = [...wanted].map(async ([mid, terminals]) => {
    const query = { per_page: '100', sort: 'asc' };
    const { body } = await call('listTerminals', { key: acquirer.key, path: { id: mid }, query });
    const ids = (body.data as { terminal_id: string }[]).map(({ terminal_id }) => terminal_id);
    expect(ids.sort()).toEqual(terminals.map((row) => row[TERMINAL]).sort());
  });
  await Promise.all(found);
}

/** An acquirer of its own, with an operator. */
export async function newTenant(): Promise<{ acquirer: Caller; as: SignedIn }> {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Harbour Pay');
  return { acquirer, as: await personOf(acquirer.id, 'operator') };
}
