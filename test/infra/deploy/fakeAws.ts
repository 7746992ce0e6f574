import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/*
 * AWS over HTTP on this machine: what a test says it replies, and what was asked of it. Set `AWS_ENDPOINT_URL` to its URL.
 */

/** A request: the action, such as `GetCallerIdentity`, and its parameters. */
interface Call {
  action: string;
  input: Record<string, unknown>;
}

/** Replies by action, or by method and path. A number is the status of a failure, an object with `__type` one of
 * CodeDeploy's errors, a text the whole body. A PUT's input is its body. */
export type Replies = Record<string, (input: Record<string, unknown>) => object | number | string>;

const inXml = (value: unknown): string => {
  if (Array.isArray(value)) return value.map((each) => `<member>${inXml(each)}</member>`).join('');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, each]) => `<${name}>${inXml(each)}</${name}>`)
      .join('');
  return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
};

/** Starts the server. It rejects each action without a reply. */
export async function startFakeAws(replies: Replies) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const target = request.headers['x-amz-target'];
    const form = new URLSearchParams(body);
    // CodeDeploy speaks JSON, CloudFormation and STS forms and XML. Anything else is named by its path.
    const action =
      String(target ?? '').split('.')[1] ?? form.get('Action') ?? `${request.method} ${request.url?.split('?')[0]}`;
    const isStored = request.method === 'PUT';
    const input = target ? JSON.parse(body) : isStored ? { body } : Object.fromEntries(form);
    calls.push({ action, input });
    const reply = replies[action]?.(input) ?? 403;
    response.statusCode =
      typeof reply === 'number' ? reply : typeof reply === 'object' && '__type' in reply ? 400 : 200;
    if (typeof reply === 'string') response.end(reply);
    else if (typeof reply !== 'number')
      response.end(target ? JSON.stringify(reply) : inXml({ [`${action}Response`]: { [`${action}Result`]: reply } }));
    else if (reply === 404) response.end('<Error><Code>NoSuchKey</Code></Error>');
    else if (target) response.end(JSON.stringify({ __type: 'AccessDeniedException', message: `no ${action}` }));
    else
      response.end(
        inXml({ ErrorResponse: { Error: { Type: 'Sender', Code: 'AccessDenied', Message: `no ${action}` } } }),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
