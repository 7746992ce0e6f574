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
 * Returns the script that renders the reference. `@scalar/fastify-api-reference` is the smallest package with it, but
 * serves it only as a Fastify plugin. So this function registers the plugin with a stub and calls its route.
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
