import type { BrowserContext } from 'playwright-core';
import shopNames from '../../lib/base/shopNames.json' with { type: 'json' };

/* An estate of any size, as the service lists it, with names of real shops in many scripts. */

const NAMES = Object.values(shopNames.brands).flatMap((names) => names.split('|'));
const CITIES = ['Porto', 'Lisbon', 'São João da Madeira', 'دبي', 'München', 'Łódź', 'Αθήνα'];
const MODELS = ['Countertop 3', 'Portable 5', 'A920', 'Move 5000'];
const APPS = ['Pay Plus', 'Classic', 'Retail', null];
const BEGIN = Date.UTC(2023, 0, 1);

/** A number that looks random, and is the same in each run. */
const mixed = (place: number): number => Math.imul(place ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 1;
const among = <T>(values: readonly T[], place: number): T => values[mixed(place) % values.length] as T;
const timeAt = (place: number): string => new Date(BEGIN + 200_000 * place).toISOString();
const hexOf = (number: number): string => number.toString(16).padStart(8, '0');

export function branchAt(place: number) {
  const business = mixed(place) % 30_000;
  const isArchived = place % 20 === 7;
  return {
    mid: `PT${String(100_000 + place * 7).padStart(9, '0')}`,
    merchant_name: `${among(NAMES, place)} ${1 + (place % 40)}`,
    area: among([null, 'Foz', 'Alvalade'], place),
    // A few cities have most branches.
    city: place % 3 === 0 ? `Vila Nova ${mixed(place) % 800}` : among(CITIES, place),
    master_merchant_name: `${among(NAMES, business)} Group`,
    master_merchant_id: `BIZ${business}`,
    status: isArchived ? 'archived' : 'active',
    created_at: timeAt(place),
    updated_at: timeAt(place + (mixed(place) % 9_000)),
    archived_at: isArchived ? timeAt(place + 9_000) : null,
  };
}

/** @param branches How many branches there are, of which the first have most terminals. */
export function terminalAt(place: number, branches: number) {
  const of = place < branches ? place : mixed(place) % Math.ceil(branches / 5);
  const { mid, merchant_name, area, city, status } = branchAt(of);
  const isArchived = status === 'archived' || place % 25 === 3;
  const serial = 1_000_000_000 + (mixed(place) % 900_000_000);
  return {
    tid: `${hexOf(mixed(place))}-0000-5000-8000-${hexOf(place).padStart(12, '0')}`,
    terminal_id: `T${17_255_010 + place}`,
    serial_no: place % 33 === 0 ? null : `${among(['', 'MV53', 'V2', 'A9'], place)}${serial}`,
    terminal_model: among(MODELS, place),
    payment_app: among(APPS, place >> 3),
    acquirer_name: among(['Banco Azul', 'Banco do Norte'], place >> 5),
    mid,
    status: isArchived ? 'archived' : 'active',
    created_at: timeAt(of),
    updated_at: timeAt(of + (mixed(place) % 99_000)),
    archived_at: isArchived ? timeAt(of + 99_000) : null,
    archive_reason: isArchived ? among(['Lost', 'Returned to the vendor'], place) : null,
    last_seen_at: place % 10 === 0 ? null : timeAt(500_000 + (mixed(place) % 9_000)),
    branch: { mid, merchant_name, area, city, status },
  };
}

/** Responds with an estate in place of the service's lists. Returns how many pages were read. */
export async function serveEstate(
  context: BrowserContext,
  { terminals, branches }: Record<'terminals' | 'branches', number>,
) {
  const read = { pages: 0 };
  const part = <T>(from: number, length: number, end: number, at: (place: number) => T): T[] => {
    read.pages += 1;
    return Array.from({ length: Math.max(0, Math.min(length, end - from)) }, (_, offset) => at(from + offset));
  };
  await context.route(/\/api\/v1\/merchants\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [size, page] = [Number(query.get('per_page')), Number(query.get('page') ?? 1)];
    const data = part((page - 1) * size, size, branches, branchAt);
    await route.fulfill({ json: { data, meta: { total: branches, current_page: page, per_page: size }, links: {} } });
  });
  await context.route(/\/api\/v1\/terminals\?/, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [limit, after] = [Number(query.get('limit')), Number(query.get('after') ?? 0)];
    const data = part(after, limit, terminals, (place) => terminalAt(place, branches));
    const next = after + limit < terminals ? String(after + limit) : null;
    await route.fulfill({ json: { data, meta: { next } } });
  });
  return read;
}
