import plugin from '@scalar/fastify-api-reference';

interface Route {
  url: string;
  handler: (request: object, reply: Reply) => unknown;
}
interface Reply {
  header: () => Reply;
  send: (body: string) => Reply;
}

/**
 * The script that renders the reference, of which `@scalar/fastify-api-reference` is the smallest package: it serves it to
 * Fastify, which is played here.
 */
export async function scalarScript(): Promise<string> {
  const routes: Route[] = [];
  const fastify = {
    route: (route: Route) => routes.push(route),
    hasPlugin: () => false,
    initialConfig: {},
    log: console,
  };
  await new Promise((done) =>
    (plugin as unknown as (...args: unknown[]) => void)(
      fastify,
      { configuration: { url: '/' }, routePrefix: '/' },
      done,
    ),
  );
  let script = '';
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
      return reply;
    },
  };
  routes.find(({ url }) => url.endsWith('.js'))?.handler({}, reply);
  return script;
}
