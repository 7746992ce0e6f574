import { requestContext } from '../aws/requestContext.ts';
import { setting } from '../base/config.ts';
import { urlUnder } from '../base/url.ts';
import type { OperationRequest } from './tool.ts';

/** Of each request, in milliseconds: above what an operation takes at most (lib/aws/retry.ts). */
const TIMEOUT_MS = 12_000;

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
 * @returns `undefined` if there is no response of the operation: it is not known whether it was executed.
 */
export async function send(apiKey: string, request: OperationRequest): Promise<OperationResponse | undefined> {
  const { method, path, body } = request;
  try {
    const response = await fetch(urlUnder(setting('BASE_URL'), path), {
      method,
      // A connection that was kept while Lambda had stopped the process would fail the request.
      headers: { 'api-key': apiKey, 'content-type': 'application/json', connection: 'close' },
      body: body ? JSON.stringify(body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
