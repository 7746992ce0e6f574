import { ProblemError } from '../api/request.ts';
import { worded } from './wording.ts';

/** The field errors of a 422, each with the path of its field in the body, such as `terminals.0.serial_no`. */
const refusalsOf = (error: Error | null) =>
  error instanceof ProblemError
    ? (error.problem.errors ?? []).map(({ pointer, ...each }) => ({
        path: pointer.slice(1).replaceAll('/', '.'),
        ...each,
      }))
    : [];

/** What the field errors of a 422 say, by path. */
export const refusedFields = (error: Error | null): Record<string, string> =>
  Object.fromEntries(refusalsOf(error).map(({ path, code, detail }) => [path, worded(detail, code)]));

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

/** The refused fields that still have the values that were sent: a correction is no longer marked. */
export const stillRefused = (refused: Record<string, string>, sent: unknown, now: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(refused).filter(([path]) => valueAt(sent, path) === valueAt(now, path)));

/** The serial numbers of a refused body that other terminals have. */
export const takenSerials = (error: Error | null, sent: unknown): string[] =>
  refusalsOf(error)
    .filter(({ code, path }) => code === 'taken' && path.split('.').at(-1) === 'serial_no')
    .map(({ path }) => String(valueAt(sent, path)));
