import { PARAMETERS, type Parameters } from '../../infra/stack/template/parameters.ts';

/* Wrong values of each parameter, made of the type of a right value, so that a new parameter has them too. */

/** Values that no parameter of a type may have in a row of infra/stack/stages.yml. */
const IN_ROW = {
  number: ['16000', '16000 units', -1, Number.NaN, null, '', [16000], 0.5, Number.POSITIVE_INFINITY, true],
  boolean: ['true', 'yes', 1, null, '', [true]],
  string: [5, true, null, ['a'], 'two words', { name: 'a' }, 'Porto\u200b'],
};

/** What `--param` must not give, where all values are texts. */
const GIVEN = {
  number: ['fast', '-1', '0.5', '16000 units', 'NaN', '1e3', '0x10', 'true'],
  boolean: ['yes', '1', 'TRUE', 'on', '0'],
  string: ['two words', ' led by a space', 'Porto\u200b', 'line\nbreak', 'Évora'],
};

type Kind = keyof typeof IN_ROW;

/** How many wrong values each parameter has, in a row and on the command line. */
export const WRONG_VALUES = 5;

/** The wrong values of a parameter. */
export const wrongValuesOf = (right: Parameters, name: keyof Parameters) => {
  const kind = typeof right[name] as Kind;
  return { inRow: IN_ROW[kind] as unknown[], given: GIVEN[kind] };
};

/** Wrong values of all parameters. Each number gives others. */
export function wrongAt(right: Parameters, at: number) {
  const pick = <T>(values: T[]): T => values[at % values.length] as T;
  const each = PARAMETERS.map((name) => ({ name, ...wrongValuesOf(right, name) }));
  return {
    row: Object.fromEntries(each.map(({ name, inRow }) => [name, pick(inRow)])),
    given: each.flatMap(({ name, given }) => ['--param', `${name}=${pick(given)}`]),
  };
}
