import plugin from '@scalar/fastify-api-reference';

interface Route {
  url: string;
  handler: (request: object, reply: Reply) => unknown;
}
interface Reply {
  header: () => Reply;
  send: (body: string) => void;
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
  const register = plugin as unknown as (...args: unknown[]) => void;
  await new Promise((done) => register(fastify, { configuration: { url: '/' }, routePrefix: '/' }, done));
  return new Promise((send) => {
    const reply: Reply = { header: () => reply, send };
    routes.find(({ url }) => url.endsWith('.js'))?.handler({}, reply);
  });
}
