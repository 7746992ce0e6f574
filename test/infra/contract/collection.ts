import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';

interface Value {
  key: string;
  value: string;
  disabled?: boolean;
}

/** The members of a Postman collection (v2.1) that ours uses. */
export interface Collection {
  auth: { apikey: Value[] };
  item: {
    name: string;
    event: { listen: 'prerequest' | 'test'; script: { exec: string[] } }[];
    request: {
      method: string;
      url: { host: string[]; path: string[]; query: Value[]; variable: Value[] };
      header: Value[];
      body?: { raw: string };
    };
  }[];
}

interface Failure {
  request: string;
  message: string;
}

/**
 * Sends the requests of a collection in order and runs their scripts, as Postman does, with the part of Postman's `pm`
 * that our scripts use.
 *
 * @param variables Values of the collection's variables.
 * @returns The failed tests and scripts.
 */
export async function runCollection({ auth, item }: Collection, variables: Record<string, string>): Promise<Failure[]> {
  const failures: Failure[] = [];
  const values = new Map(Object.entries(variables));
  const filled = (text = ''): string =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (whole, name) =>
      name === '$guid' ? randomUUID() : (values.get(name) ?? whole),
    );
  const filledIn = (list: Value[]): Record<string, string> =>
    Object.fromEntries(list.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, filled(value)]));
  const { key: apiKeyHeader = '', value: apiKey = '' } = filledIn(auth.apikey);

  for (const { name, event, request } of item) {
    const run = (listen: string, pm: object) => {
      const noted = (action: () => void) => {
        try {
          action();
        } catch (error) {
          failures.push({ request: name, message: (error as Error).message });
        }
      };
      const all = {
        ...pm,
        collectionVariables: { set: (key: string, value: string) => values.set(key, value) },
        variables: { replaceIn: filled },
        test: (_: string, action: () => void) => noted(action),
      };
      for (const { script } of event.filter((each) => each.listen === listen))
        noted(() => runInNewContext(script.exec.join('\n'), { pm: all }));
    };

    run('prerequest', {});
    const { url, method, header, body } = request;
    const pathValues = filledIn(url.variable);
    const path = url.path.map((part) => (part.startsWith(':') ? pathValues[part.slice(1)] : part)).join('/');
    const query = new URLSearchParams(filledIn(url.query));
    const response = await fetch(`${filled(url.host[0])}/${path}?${query}`, {
      method,
      headers: { ...filledIn(header), [apiKeyHeader]: apiKey },
      ...(body && { body: filled(body.raw) }),
    });
    const text = await response.text();
    const status = (expected: number) => {
      if (response.status !== expected) throw new Error(`Expected status ${expected}, got ${response.status}: ${text}`);
    };
    const { headers } = response;
    run('test', { response: { headers, json: () => JSON.parse(text), to: { have: { status } } } });
  }
  return failures;
}
