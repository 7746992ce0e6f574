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
 * serves it only as a Fastify plugin. So this function registers the plugin with a stub, which calls its route.
 */
export const scalarScript = (): Promise<string> =>
  new Promise((send) => {
    const reply: Reply = { header: () => reply, send };
    const route = ({ url, handler }: Route) => url.endsWith('.js') && handler({}, reply);
    const fastify = { route, hasPlugin: () => false, initialConfig: {}, log: console };
    const register = plugin as unknown as (...args: unknown[]) => void;
    register(fastify, { configuration: { url: '/' }, routePrefix: '/' }, () => {});
  });
