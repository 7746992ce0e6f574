import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Argument, Option } from 'commander';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../lib/base/fieldErrors.ts';
import { storedText } from '../../../lib/base/fields.ts';
import { type Limit, limitError } from '../../../lib/base/rateAndBurst.ts';
import { exists } from '../../../lib/base/time.ts';
import { Stop, WRONG_USAGE } from './stop.ts';

const NO_ARGUMENT =
  'Must not be an API key, which the history of the shell keeps. Pass it on stdin, to find --api-key-stdin.';

type Schema = v.GenericSchema<string, unknown>;

/**
 * Parses a value from the command line.
 *
 * @throws Stop that names the argument but never its value, which may be an API key pasted where an id belongs.
 */
function parse(flags: string, schema: Schema, value: string): unknown {
  const { success, output, issues } = v.safeParse(schema, value);
  if (!success) throw new Stop(`Wrong usage: ${flags}: ${fieldErrorsOf(issues)[0]?.detail}`, WRONG_USAGE);
  if (value.startsWith('apk_')) throw new Stop(`Wrong usage: ${flags}: ${NO_ARGUMENT}`, WRONG_USAGE);
  return output;
}

/** Parses the values of an argument or option; those of `<names...>` are collected. */
function parsed<T extends Argument | Option>(made: T, flags: string, schema: Schema): T {
  made.argParser((value: string, previous: unknown) => {
    const output = parse(flags, schema, value);
    return made.variadic ? [...((previous as unknown[] | undefined) ?? []), output] : output;
  });
  return made;
}

/** An argument of a command; `<names...>` collects all values that follow. */
export const argument = (flags: string, description: string, schema: Schema): Argument =>
  parsed(new Argument(flags, description), flags, schema);

/** An option with a value; `--name <names...>` collects all values that follow, and may be repeated. */
export const option = (flags: string, description: string, schema: Schema): Option =>
  parsed(new Option(flags, description), flags, schema);

/**
 * Reads a secret from stdin, because an argument would stay in the shell's history.
 *
 * @param what What it is, such as `API key`.
 * @throws Stop, without the text that was read.
 */
export async function secretFrom(stdin: Readable, what: string, schema: v.GenericSchema<string, string>) {
  const { success, output } = v.safeParse(schema, (await text(stdin)).trim());
  if (!success) throw new Stop(`Wrong usage: stdin must have one ${what}, on one line.`, WRONG_USAGE);
  return output;
}

export const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}$/, 'Must be a whole number of 1 or more.'),
  v.transform(Number),
);

/** A time in UTC (RFC 3339), with or without seconds, in milliseconds. */
export const time = v.pipe(
  v.string(),
  v.regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::[0-5]\d(?:\.\d{1,3})?)?Z$/,
    'Must be a time in UTC, such as 2026-03-01T03:12Z.',
  ),
  v.check((text) => exists(text.slice(0, 16)), 'Must be a time that exists.'),
  v.transform(Date.parse),
);

/** The name of a table (DynamoDB Developer Guide, "Naming rules"). */
export const tableNamed = v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/, 'Must be the name of a table.'));

/** The base URL of the API, without a slash at its end. */
export const baseUrl = v.pipe(
  v.string(),
  v.url('Must be a URL.'),
  v.regex(/^https?:\/\//, 'Must begin with http:// or https://.'),
  v.transform((value) => value.replace(/\/+$/, '')),
);

/** The name or id of an acquirer: see runsOnAcquirer. */
export const acquirer = (flags = '<acquirer>'): Argument =>
  argument(flags, 'name, or id from "acquirers list"', storedText);

/**
 * The rate limit in the options of a command, by default with bursts of twice the rate; `undefined` for none.
 *
 * @throws Stop if it is not valid.
 */
export function limitIn({ rate, burst }: { rate?: number; burst?: number }): Limit | undefined {
  if (!rate && burst) throw new Stop('Wrong usage: add --rate to --burst.', WRONG_USAGE);
  const limit = rate ? { rate, burst: burst ?? 2 * rate } : undefined;
  const reason = limit && limitError(limit);
  if (reason) throw new Stop(`Wrong usage: ${reason}`, WRONG_USAGE);
  return limit;
}
