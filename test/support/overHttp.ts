import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { type Invoke, listener, type Routes, respond } from '../../infra/local/gateway.ts';
import { type Served, serve } from '../../infra/local/serve.ts';
import { ROUTES, sourceOf } from '../../infra/stack/template/definitions.ts';
import { asRole } from './access.ts';
import type { Operation } from './invoke.ts';

/**
 * Serves functions over HTTP as API Gateway does.
 *
 * @param routesOf Returns the routes of each request.
 */
export const serveRoutes = (routesOf: () => Routes, invoke: Invoke): Promise<Served> =>
  serve(listener((request) => respond(routesOf(), request, invoke)));

/** Serves all handlers over HTTP, each with only the permissions of its role, as API Gateway and Lambda do. */
export const serveHandlers = (): Promise<Served> =>
  serveRoutes(
    () => ROUTES,
    async (name, event) => {
      const { handler } = await import(`../../${sourceOf(name)}`);
      return asRole(name as Operation, () =>
        handler(event, { awsRequestId: randomUUID(), functionName: name } as Context),
      );
    },
  );
