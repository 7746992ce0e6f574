const text = (value) => JSON.stringify(value, null, 2);
/** Indents all lines of a value but the first. */
const indented = (value, spaces) => value.replaceAll('\n', `\n${' '.repeat(spaces)}`);
const isEmpty = (values) => Object.keys(values).length === 0;

function curl({ method, url, query, header, body }) {
  const search = isEmpty(query) ? '' : `?${new URLSearchParams(query)}`;
  const headers = Object.entries(header).map(([name, value]) => `-H '${name}: ${value}'`);
  return [
    `curl -X ${method.toUpperCase()} -H "API-KEY: $API_KEY"`,
    `'${url}${search}'`,
    ...headers,
    ...(body ? [`-d '${text(body).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ');
}

/** Formats a JSON value as a TypeScript literal. */
const literal = (value) => text(value).replace(/^( *)"(\w+)":/gm, '$1$2:');

function typescript({ server, method, path, params, body }) {
  const options = [
    ...(isEmpty(params) ? [] : [`  params: ${indented(literal(params), 2)},\n`]),
    ...(body ? [`  body: ${indented(literal(body), 2)},\n`] : []),
  ];
  return `import { createClient } from 'acquirer-partner-api-client';

const { API_KEY = '' } = process.env;
const api = createClient({ baseUrl: '${server}', apiKey: API_KEY });

const { data, error } = await api.${method.toUpperCase()}('${path}'${options.length ? `, {\n${options.join('')}}` : ''});
if (error) throw new Error(error.detail);
console.log(data);`;
}

const PYTHON = { null: 'None', true: 'True', false: 'False' };
/** Formats a JSON value as a Python literal. */
const pythonLiteral = (value) => text(value).replace(/(?<=^ *|: )(null|true|false)(?=,?$)/gm, (word) => PYTHON[word]);

/** With the standard library only, as in the quickstart. */
function python({ method, url, query, header, body }) {
  const search = isEmpty(query) ? '' : `?${new URLSearchParams(query)}`;
  const headers = Object.entries(header).map(([name, value]) => `        ${text(name)}: ${text(value)},\n`);
  return `import json
import os
from urllib.request import Request, urlopen

request = Request(
    ${text(`${url}${search}`)},
    method="${method.toUpperCase()}",
    headers={
        "API-KEY": os.environ["API_KEY"],
${headers.join('')}${body ? '        "Content-Type": "application/json",\n' : ''}    },
)
${body ? `body = ${pythonLiteral(body)}\n` : ''}with urlopen(request${body ? ', json.dumps(body).encode()' : ''}) as response:
    print(json.load(response))`;
}

/** The first example of a parameter or body. */
const exampleOf = ({ example, examples = {} }) => example ?? Object.values(examples)[0]?.value;

/** The URL of a server, with the defaults of its variables. */
const addressOf = ({ url, variables = {} }) =>
  url.replace(/\{(\w+)\}/g, (_, name) => variables[name].default).replace(/\/$/, '');

/**
 * Generates code samples of an operation in three languages (`x-codeSamples`, https://redocly.com/docs-legacy/api-reference-docs/specification-extensions/x-code-samples).
 * The samples read the key from the environment variable `API_KEY`.
 *
 * @param server A server of the contract.
 * @param operation Its parameters must not be references. Parameters without an example are left out.
 */
export function samplesOf(server, path, method, { parameters, requestBody }) {
  const used = parameters.filter((parameter) => exampleOf(parameter) !== undefined);
  const named = (place) =>
    Object.fromEntries(used.filter((each) => each.in === place).map((each) => [each.name, exampleOf(each)]));
  const [path_, query, header] = [named('path'), named('query'), named('header')];
  const params = Object.fromEntries(
    Object.entries({ path: path_, query, header }).filter(([, each]) => !isEmpty(each)),
  );
  const address = addressOf(server);
  const request = {
    server: address,
    path,
    method,
    params,
    query,
    header,
    url: address + path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path_[name])),
    body: requestBody && exampleOf(requestBody.content['application/json']),
  };
  return [
    { lang: 'shell', label: 'curl', source: curl(request) },
    { lang: 'typescript', label: 'TypeScript', source: typescript(request) },
    { lang: 'python', label: 'Python', source: python(request) },
  ];
}
