import type { AnyOperation } from '../local/invoke.ts';

/** The name of a function that API Gateway invokes. */
export type FunctionName = AnyOperation | 'openConsole' | 'signIn' | 'callback';

/** What does not hold, with the request by which it showed. */
export class Failure extends Error {
  readonly operation: FunctionName | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, { operation, requestId }: { operation?: FunctionName; requestId?: string | undefined }) {
    super(message);
    this.operation = operation;
    this.requestId = requestId;
  }
}

/** A case that cannot run, and why. It has neither passed nor failed. */
export class Skipped extends Error {}
