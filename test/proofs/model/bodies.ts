import { DETAILS, requestedAs } from './state.ts';

/*
 * The rules for bodies, by the contract and docs/decisions/0008-limits.md. They are written independently of the
 * schemas in functions/, so a mistake is not made twice.
 */

/** One field error, as in a 422. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

type Rule = (value: unknown) => Omit<FieldError, 'pointer'> | undefined;
type Fields = Record<string, Rule>;
type Body = Record<string, unknown>;
type Caller = { id: string; type: string };

const rule =
  (code: string, detail: string, holds: (value: never) => boolean): Rule =>
  (value) =>
    holds(value as never) ? undefined : { code, detail };

/** Only the first error of a value is reported. */
const first =
  (...rules: Rule[]): Rule =>
  (value) => {
    for (const each of rules) {
      const fieldError = each(value);
      if (fieldError) return fieldError;
    }
    return undefined;
  };

/** Texts are trimmed, and an empty one is `null`. */
const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() || null : value);
const isGiven = (value: unknown): boolean => (trimmed(value) ?? null) !== null;
const required =
  (each: Rule): Rule =>
  (value) =>
    first(rule('required', 'Is required.', isGiven), each)(trimmed(value));
const optional =
  (each: Rule): Rule =>
  (value) =>
    isGiven(value) ? each(trimmed(value)) : undefined;

const matches = (form: RegExp, detail: string): Rule =>
  rule('invalid_format', detail, (value: string) => form.test(value));
const string = rule('invalid_type', 'Must be a string.', (value) => typeof value === 'string');
const text = first(
  string,
  rule('too_long', 'Must have at most 255 characters.', (value: string) => [...value].length <= 255),
);
const alphanumeric = first(text, matches(/^[0-9A-Za-z]+$/, 'Must be alphanumeric (0-9, A-Z, a-z).'));
const uuid = first(text, matches(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'Must be a UUID.'));
const mid = first(
  text,
  matches(
    /^([0-9A-Za-z]{1,64}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i,
    'Must be a UUID, or alphanumeric (0-9, A-Z, a-z) with at most 64 characters.',
  ),
);

const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);
const object = rule('invalid_type', 'Must be an object.', isObject);

function fieldErrors(value: unknown, fields: Fields, at = ''): FieldError[] {
  const whole = object(value);
  if (whole) return [{ pointer: at, ...whole }];
  return Object.entries(fields).flatMap(([name, each]) => {
    const fieldError = each((value as Body)[name]);
    return fieldError ? [{ pointer: `${at}/${name}`, ...fieldError }] : [];
  });
}

/** Only `null` is missing where a value is no text. */
const present: Rule = rule('required', 'Is required.', (value) => (value ?? null) !== null);
const list = first(
  rule('invalid_type', 'Must be an array.', Array.isArray),
  rule('too_short', 'Must have at least 1 item.', (items: unknown[]) => items.length >= 1),
  rule('too_long', 'Must have at most 40 items.', (items: unknown[]) => items.length <= 40),
);

/** Field errors of terminals, of which the ids and serials must differ. */
function terminalErrors(items: Body[]): FieldError[] {
  const isTwice = (at: number, name: string) =>
    typeof items[at]?.[name] === 'string' &&
    isGiven(items[at]?.[name]) &&
    items.slice(0, at).some((before) => trimmed(before[name]) === trimmed(items[at]?.[name]));
  return items.flatMap((item, at) => [
    ...fieldErrors(item, TERMINAL, `/terminals/${at}`),
    ...['terminal_id', 'serial_no']
      .filter((name) => isTwice(at, name))
      .map((name) => ({
        pointer: `/terminals/${at}/${name}`,
        code: 'duplicate',
        detail: `Appears twice in this request; each ${name} must differ.`,
      })),
  ]);
}

const BRANCH: Fields = {
  mid: required(mid),
  ...Object.fromEntries(DETAILS.map((name) => [requestedAs(name), optional(text)])),
  existing_master_merchant: optional(uuid),
  master_merchant_id: optional(alphanumeric),
  master_merchant_name: optional(text),
  email: optional(
    first(text, matches(/^[a-z.]+@[a-z]+(\.[a-z]+)+$/, 'Must be an e-mail address, such as name@example.com.')),
  ),
  country_code: optional(text),
  phone: optional(
    first(
      text,
      matches(/^\+?\d+( \d+)*$/, 'Must be digits, with single spaces allowed between them, after an optional +.'),
    ),
  ),
  mcc: optional(first(text, matches(/^\d{4}$/, 'Must be four digits.'))),
  country: optional(text),
  terminals: (value) => (present(value) ? undefined : list(value)),
};

/** The caller is one of a branch's two acquirers, and the other one is not the caller. */
function acquirerFields({ id, type }: Caller): Fields {
  const isYou = rule(
    'not_yourself',
    'Must be your own UUID, or omitted.',
    (value: string) => value.toLowerCase() === id,
  );
  const isNotYou = rule(
    'not_a_partner',
    'Must be the UUID of a partner, not your own.',
    (value: string) => value.toLowerCase() !== id,
  );
  const you = optional(first(uuid, isYou));
  const other = first(uuid, isNotYou);
  return type === 'DISTRIBUTOR'
    ? { payment_provider: required(other), distributor: you }
    : { payment_provider: you, distributor: optional(other) };
}

const TERMINAL_CHANGES: Fields = {
  serial_no: optional(alphanumeric),
  terminal_model: optional(text),
  payment_app: optional(text),
  acquirer_name: optional(text),
};
const TERMINAL: Fields = { terminal_id: required(alphanumeric), ...TERMINAL_CHANGES };
const MEMBER_CHECK: Fields = {
  amount: first(
    present,
    rule('invalid_type', 'Must be a number.', (value) => typeof value === 'number'),
    rule('too_small', 'Must be at least 0.', (value: number) => value >= 0),
  ),
  card_id: required(text),
  card_pseudo_token: required(text),
  // Every text sent here that has the form of a code is one.
  currency: required(first(text, matches(/^[A-Z]{3}$/, 'Must be an ISO 4217 code, such as EUR.'))),
  terminal_id: required(text),
  acquirer_id: required(text),
};

/** The fields of every operation with a body. */
const FIELDS: Record<string, (caller: Caller) => Fields> = {
  createBranch: (caller) => ({ ...BRANCH, ...acquirerFields(caller) }),
  updateBranch: () => Object.fromEntries(DETAILS.map((name) => [requestedAs(name), optional(text)])),
  createTerminals: () => ({ terminals: first(present, list) }),
  updateTerminal: () => TERMINAL_CHANGES,
  archiveTerminal: () => ({ reason: required(text) }),
  reassignTerminal: () => ({ mid: required(text) }),
  memberCheck: () => MEMBER_CHECK,
};
const OWNERS = ['existing_master_merchant', 'master_merchant_id'];

/** A valid body as it is understood: trimmed texts, `null` for none, MIDs in one case. */
export function cleaned<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cleaned) as T;
  if (typeof value !== 'object' || value === null) return trimmed(value) as T;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'mid' ? inOneCase(trimmed(each)) : cleaned(each)]),
  ) as T;
}

/** UUIDs are case-insensitive. */
export const inOneCase = <T>(id: T): T =>
  typeof id === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) ? (id.toLowerCase() as T) : id;

const given = (body: Body, fields: Fields): Body =>
  Object.fromEntries(Object.keys(fields).flatMap((name) => (isGiven(body[name]) ? [[name, body[name]]] : [])));

/** The meaning of a cleaned body. Bodies of the same meaning are the same request. */
export function meaningOf(body: Body, caller: Caller): Body {
  const you = caller.type === 'DISTRIBUTOR' ? 'distributor' : 'payment_provider';
  const meant = { [you]: caller.id, ...given(body, { ...BRANCH, ...acquirerFields(caller) }) };
  for (const name of ['payment_provider', 'distributor', 'existing_master_merchant'])
    if (isGiven(meant[name])) meant[name] = String(meant[name]).toLowerCase();
  const terminals = (body['terminals'] ?? []) as Body[];
  return { ...meant, terminals: terminals.map((each) => given(each, TERMINAL)) };
}

/** Pointers to the unknown fields of a body. */
export const unknownFields = (operation: string, body: Body, caller: Caller): string[] =>
  Object.keys(body).flatMap((name) => (name in (FIELDS[operation]?.(caller) ?? {}) ? [] : [`/${name}`]));

/** Whether an operation takes a body. */
export const takesBody = (operation: string): boolean => operation in FIELDS;

/** All field errors of an operation's body, but only the first one for each place. */
export function fieldErrorsOf(operation: string, body: Body, caller: Caller): FieldError[] {
  const fields = FIELDS[operation]?.(caller);
  if (!fields) return [];
  const failures = fieldErrors(body, fields);
  if (isObject(body) && operation === 'createBranch' && !OWNERS.some((name) => isGiven(body[name])))
    for (const name of OWNERS)
      failures.push({
        pointer: `/${name}`,
        code: 'required',
        detail: 'One of existing_master_merchant and master_merchant_id is required.',
      });
  if ('terminals' in fields && isObject(body) && !list(body['terminals']))
    failures.push(...terminalErrors(body['terminals'] as Body[]));
  return failures.filter(({ pointer }, at) => failures.findIndex((each) => each.pointer === pointer) === at);
}
