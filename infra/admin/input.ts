import { Argument, Option } from 'commander';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../lib/base/fieldErrors.ts';
import { uuid } from '../../lib/base/fields.ts';
import { Stop, WRONG_USAGE } from './stop.ts';

type Schema = v.GenericSchema<string, unknown>;

/**
 * Parses a value from the command line.
 *
 * @throws Stop that names the argument but never its value, which may be an API key pasted where an id belongs.
 */
function parse(flags: string, schema: Schema, value: string): unknown {
  const { success, output, issues } = v.safeParse(schema, value);
  if (!success) throw new Stop(`Wrong usage: ${flags}: ${fieldErrorsOf(issues)[0]?.detail}`, WRONG_USAGE);
  return output;
}

/** An argument of a command; `<names...>` collects all values that follow. */
export function argument(flags: string, description: string, schema: Schema): Argument {
  const made = new Argument(flags, description);
  return made.argParser((value, previous: unknown) => {
    const parsed = parse(flags, schema, value);
    return made.variadic ? [...((previous as unknown[] | undefined) ?? []), parsed] : parsed;
  });
}

/** An option with a value. */
export const option = (flags: string, description: string, schema: Schema): Option =>
  new Option(flags, description).argParser((value) => parse(flags, schema, value));

/** A whole number of 1 or more, with up to nine digits. */
export const wholeNumber = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}$/, 'Must be a whole number of 1 or more.'),
  v.transform(Number),
);

export const acquirerId = (flags = '<acquirer-id>'): Argument => argument(flags, 'UUID from "acquirers list"', uuid);
