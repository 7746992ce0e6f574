import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiResponse, invoke as invokeHandler, type Operation } from '../../infra/local/invoke.ts';
import { asRole } from './access.ts';

export { type ApiResponse, eventOf, type Operation, type Request } from '../../infra/local/invoke.ts';

/** Calls the complete handler of an operation with an event, as Lambda would, with only the permissions of its role. */
export const invoke = (
  operation: Operation,
  event: APIGatewayProxyEventV2,
  awsRequestId?: string,
): Promise<ApiResponse> => asRole(operation, () => invokeHandler(operation, event, awsRequestId));
