import type { Problem } from '../api.ts';
import { NoResponse, ProblemError } from '../request.ts';
import { NotSignedIn } from '../session/renewal.ts';

/** Why an import or export cannot go on, as views say it. Without a problem, the person did not sign in again. */
export function errorOf(problem: Problem | undefined): Error {
  if (!problem) return new NotSignedIn('The session has ended.');
  return problem.code === 'unexpected_response' ? new NoResponse(problem.detail) : new ProblemError(problem, undefined);
}
