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
  return PATCHES.reduce(patched, script);
}

/**
 * What no setting changes: the joke in place of an API key, a form for cookies, which the API does not read, and elements
 * without an accessible name, a right role or a tab stop.
 */
const PATCHES: [RegExp, string][] = [
  [/QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT/g, 'apk_…'],
  [/(?<=\[\[\w+,)\w+\(`Cookies`\)(?=\]\])/g, '!1'],
  [/(?<=\{type:`button`)(?=\},\w+\(\w+\)\(`group\/copy-button)/g, ',"aria-label":`Copy`'],
  [/(?<="aria-label":\w+\.value)(?=,"aria-readonly":e\.readOnly)/g, '||e.placeholder||`Value`'],
  [/e\.withVariables\?`combobox`:(?=`textbox`)/g, ''],
  [/(?<=class:`response-card`),role:`region`/g, ''],
  [/(?=class:`endpoints`\})/g, 'tabindex:0,'],
  [
    /(?<="data-scalar-scroll-header":.{1,40}?\[\w\()`header`,(\w+)/g,
    '`section`,{...$1,"aria-label":`Current section`}',
  ],
];

/** @throws Error if a new version of the script has no such text. */
function patched(script: string, [text, replacement]: [RegExp, string]): string {
  if (!text.test(script)) throw new Error(`The renderer's script does not match ${text}: adapt infra/site/scalar.ts.`);
  return script.replace(text, replacement);
}
