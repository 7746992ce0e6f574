import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type AnyOperation, type ApiResponse, invoke as invokeHandler } from '../../infra/publish/contract/invoke.ts';
import { KEY_USE } from '../../lib/acquirers/keyUse.ts';
import { SEEING } from '../../lib/branches/lastSeen.ts';
import { SESSION } from '../../lib/people/session.ts';
import { asRole } from './access.ts';

// Requests never record the use of their API key or session, nor a terminal as seen, here; tests of that set this.
KEY_USE.intervalMs = Number.POSITIVE_INFINITY;
SESSION.useIntervalMs = Number.POSITIVE_INFINITY;
SESSION.memberUseIntervalMs = Number.POSITIVE_INFINITY;
SEEING.intervalMs = Number.POSITIVE_INFINITY;

export {
  type AnyOperation,
  type ApiResponse,
  eventOf,
  type Operation,
  type Request,
} from '../../infra/publish/contract/invoke.ts';

/** Calls the complete handler of an operation with an event, as Lambda would, with only the permissions of its role. */
export const invoke = (
  operation: AnyOperation,
  event: APIGatewayProxyEventV2,
  awsRequestId?: string,
): Promise<ApiResponse> => asRole(operation, () => invokeHandler(operation, event, awsRequestId));
