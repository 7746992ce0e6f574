import { requestContext } from '../aws/requestContext.ts';
import { setting } from '../base/config.ts';
import { urlUnder } from '../base/url.ts';
import type { OperationRequest } from './tool.ts';

/**
 * Of requests, in milliseconds: of an operation above what it takes at most (lib/aws/retry.ts). Together they are below the
 * timeout of the function.
 */
export const TIMEOUTS_MS = { caller: 5_000, operation: 12_000 };

/** The response of an operation. */
export interface OperationResponse {
  status: number;
  body: OperationBody;
  /** Seconds until a retry can succeed. */
  retryAfter: number | undefined;
}

/** A problem, or what a successful response has. */
interface OperationBody {
  data?: unknown;
  /** What `data` is, of a find. */
  type?: string;
  /** The pages of a list. */
  links?: object;
  meta?: object;
  warnings?: unknown[];
  code?: string;
  detail?: string;
  request_id?: string;
  errors?: unknown[];
}

/**
 * Sends the request of an operation over HTTP, as its caller would.
 *
 * @param timeoutMs When it gives up.
 * @returns `undefined` if there is no response of the operation: it is not known whether it was executed.
 */
export async function send(
  apiKey: string,
  { method, path, body }: OperationRequest,
  timeoutMs = TIMEOUTS_MS.operation,
): Promise<OperationResponse | undefined> {
  try {
    const response = await fetch(urlUnder(setting('BASE_URL'), path), {
      method,
      // A connection that was kept while Lambda had stopped the process would fail the request.
      headers: { 'api-key': apiKey, 'content-type': 'application/json', connection: 'close' },
      body: body ? JSON.stringify(body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const retryAfter = response.headers.get('retry-after');
    return {
      status: response.status,
      body: (await response.json()) as OperationBody,
      retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    };
  } catch (failure) {
    requestContext().failures.operation.push(failure);
    return undefined;
  }
}
