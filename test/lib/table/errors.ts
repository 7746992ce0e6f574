import { ThrottlingException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';

/* Errors of the table, as the SDK throws them. */

export const named = (name: string, message = name): Error => Object.assign(new Error(message), { name });

/** A connection error, after which nobody knows whether the request was executed. */
export const lost = (code = 'ECONNRESET'): Error => Object.assign(new Error(`read ${code}`), { code });

export const throttled = () => new ThrottlingException({ message: 'slow down', $metadata: {} });

/** A transaction that was cancelled for these reasons, one per step. */
export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: {},
  });
