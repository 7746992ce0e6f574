import { interfaceParameters, interfacePath } from './paths.ts';

/** A request of the collection: an operation, with values that may contain variables. */
interface Step {
  operation: string;
  /** Name of the request; by default the operation's summary. */
  name?: string;
  /** Value of the path parameter. */
  path?: string;
  /** Query parameters. Others are disabled, for the user to fill in. */
  query?: Record<string, string>;
  /** Header parameters besides a new Idempotency-Key. Others are disabled. */
  headers?: Record<string, string>;
  /** Fields that override those of the contract's example. */
  body?: Record<string, unknown>;
  /** Variables to set before the request, and after it from its `response`: names and expressions. */
  before?: Record<string, string>;
  after?: Record<string, string>;
}

const TERMINAL = { path: '{{tid}}' };

/**
 * Run in this order, the requests succeed with any acquirer's key, any number of times, and leave nothing active. An
 * operation that is missing here is called before the terminal is deleted, with the branch or the terminal.
 */
const STEPS: Step[] = [
  {
    operation: 'lookup',
    name: 'Look up payment providers',
    path: 'paymentProviders',
    after: { payment_provider: 'response.data[0].key' },
  },
  { operation: 'lookup', name: 'Look up distributors', path: 'distributors' },
  {
    operation: 'lookup',
    name: 'Look up payment apps',
    path: 'paymentApp',
    after: { payment_app: 'response.data[0].key' },
  },
  {
    operation: 'lookup',
    name: 'Look up master acquirers',
    path: 'acquirers',
    after: { acquirer: 'response.data[0].key' },
  },
  {
    operation: 'createBranch',
    before: { run: "pm.variables.replaceIn('{{$guid}}').replaceAll('-', '')" },
    body: {
      mid: 'A{{run}}',
      payment_provider: '{{payment_provider}}',
      master_merchant_id: 'M{{run}}',
      terminals: [{ terminal_id: 'T{{run}}1', terminal_model: 'Countertop 3' }],
    },
    after: {
      mid: 'response.data.mid',
      terminal_id: 'response.data.terminals[0].terminal_id',
      business: 'response.data.existing_master_merchant',
    },
  },
  { operation: 'lookup', name: 'Look up businesses', path: 'masterMerchants' },
  { operation: 'getBranch', path: '{{mid}}', after: { etag: "pm.response.headers.get('ETag')" } },
  { operation: 'updateBranch', path: '{{mid}}', headers: { 'If-Match': '{{etag}}' } },
  { operation: 'listBranches' },
  {
    operation: 'createTerminals',
    path: '{{mid}}',
    body: {
      terminals: [
        {
          terminal_id: 'T{{run}}2',
          serial_no: 'S{{run}}2',
          terminal_model: 'Handheld 2',
          payment_app: '{{payment_app}}',
          acquirer_name: '{{acquirer}}',
        },
      ],
    },
    after: { tid: 'response.data[0].tid' },
  },
  { operation: 'listTerminals', path: '{{mid}}' },
  { operation: 'find', name: 'Find the terminal by its serial number', query: { serial_no: 'S{{run}}2' } },
  {
    operation: 'find',
    name: 'Find the business',
    query: { master_merchant_id: 'M{{run}}', payment_provider: '{{payment_provider}}' },
  },
  { operation: 'updateTerminal', ...TERMINAL },
  { operation: 'archiveTerminal', ...TERMINAL },
  { operation: 'restoreTerminal', ...TERMINAL },
  { operation: 'memberCheck', body: { terminal_id: '{{terminal_id}}', acquirer_id: '{{payment_provider}}' } },
  {
    operation: 'createBranch',
    name: 'Create another branch of the business',
    body: {
      mid: 'B{{run}}',
      payment_provider: '{{payment_provider}}',
      existing_master_merchant: '{{business}}',
      // The fields of a new master merchant.
      master_merchant_id: undefined,
      master_merchant_name: undefined,
      terminals: undefined,
    },
    after: { other_mid: 'response.data.mid' },
  },
  { operation: 'reassignTerminal', ...TERMINAL, body: { mid: '{{other_mid}}' } },
  { operation: 'deleteTerminal', ...TERMINAL },
  { operation: 'getTerminalHistory', ...TERMINAL },
  { operation: 'archiveBranch', path: '{{mid}}' },
  { operation: 'restoreBranch', path: '{{mid}}' },
  { operation: 'archiveBranch', name: 'Archive the branch again', path: '{{mid}}' },
  { operation: 'getBranchHistory', path: '{{mid}}', query: { limit: '2' }, after: { before: 'response.meta.next' } },
  {
    operation: 'getBranchHistory',
    name: 'Get the next page of the history of the branch',
    path: '{{mid}}',
    query: { before: '{{before}}', limit: '2' },
  },
  { operation: 'archiveBranch', name: 'Archive the other branch', path: '{{other_mid}}' },
  { operation: 'listEvents', query: { limit: '10' }, after: { after: 'response.meta.next' } },
  { operation: 'listEvents', name: 'List the next events', query: { after: '{{after}}', limit: '10' } },
];

const VARIABLES = [
  { key: 'baseUrl', value: 'http://127.0.0.1:3000', description: 'Your base URL. The default is that of `npm start`.' },
  { key: 'apiKey', value: '', description: 'Your API key. Set only its current value, which is not exported.' },
];

const HOW_TO = `Set the variables \`baseUrl\` and \`apiKey\` of this collection and run it from top to bottom: each request takes what
it needs from earlier responses. Each run uses new identifiers, and archives what it created.`;

/** The parts of the contract that this file reads. */
interface Contract {
  info: { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  responses: Record<string, object>;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { examples: Record<string, { value: object }> } } };
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  schema: { enum?: string[] };
}

const script = (listen: 'prerequest' | 'test', exec: string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
});

const set = (values: Record<string, string> = {}): string[] =>
  Object.entries(values).map(([name, value]) => `pm.collectionVariables.set('${name}', ${value});`);

const described = ({ name, description, schema }: Parameter) => ({
  key: name,
  description: schema.enum ? `${description} One of: ${schema.enum.join(', ')}.` : description,
});

/** Adds the value of a parameter, or disables it. */
const filled = (values: Record<string, string>) => (parameter: { key: string }) => ({
  ...parameter,
  value: values[parameter.key] ?? '',
  disabled: !(parameter.key in values),
});

/** Generates the request of a step. */
function requestOf({ operation: id, path: pathValue, query = {}, headers, body: fields }: Step, contract: Contract) {
  const [path, method, operation] = operationOf(id, contract);
  const { description, requestBody } = operation;
  const all = interfaceParameters(operation).map((each) =>
    '$ref' in each ? (contract.components.parameters[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
  );
  const within = (place: Parameter['in']) => all.filter((each) => each.in === place).map(described);
  const example = requestBody?.content['application/json'].examples['success']?.value;
  return {
    description,
    method: method.toUpperCase(),
    url: {
      path: interfacePath(path, operation)
        .slice(1)
        .replaceAll(/\{(\w+)\}/g, ':$1')
        .split('/'),
      host: ['{{baseUrl}}'],
      query: within('query').map(filled(query)),
      variable: within('path').map((each) => ({ ...each, value: pathValue })),
    },
    header: [
      ...within('header').map(filled({ 'Idempotency-Key': '{{$guid}}', ...headers })),
      ...(example ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      { key: 'Accept', value: 'application/json' },
    ],
    ...(example && {
      body: {
        mode: 'raw',
        raw: JSON.stringify({ ...example, ...fields }, null, 2),
        options: { raw: { language: 'json' } },
      },
    }),
  };
}

/** All steps, with one for each operation of the contract. */
function stepsOf({ paths }: Contract): Step[] {
  const missing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ operationId }) => !STEPS.some(({ operation }) => operation === operationId))
      .map((each): Step => {
        const [, name] = /\{(\w+)\}/.exec(interfacePath(path, each)) ?? [];
        return { operation: each.operationId, ...(name && { path: `{{${name}}}` }) };
      }),
  );
  return STEPS.flatMap((step) => (step.operation === 'deleteTerminal' ? [...missing, step] : [step]));
}

/** Returns the path, method and description of an operation. */
function operationOf(id: string, { paths }: Contract): [string, string, Operation] {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === id) return [path, method, operation];
  throw new Error(`The contract has no operation ${id}.`);
}

/**
 * Generates a Postman collection (v2.1) of the contract's operations. The result is reproducible, and contains no API
 * key.
 *
 * @param contract The contract, parsed from JSON.
 */
export function postman(contract: Contract): object {
  const { title, description } = contract.info;
  return {
    info: {
      name: title,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      description: `${HOW_TO}\n\n${description}`,
    },
    // All requests inherit the API key.
    auth: {
      type: 'apikey',
      apikey: Object.entries({ key: 'API-KEY', value: '{{apiKey}}', in: 'header' }).map(([key, value]) => ({
        key,
        value,
        type: 'string',
      })),
    },
    variable: VARIABLES,
    item: stepsOf(contract).map((step) => {
      const [, , { summary, responses }] = operationOf(step.operation, contract);
      // A 200 beside a 201 is the response of a validation.
      const status = Object.keys(responses)
        .sort()
        .findLast((each) => each < '300');
      return {
        name: step.name ?? summary,
        event: [
          ...(step.before ? [script('prerequest', set(step.before))] : []),
          script('test', [
            `pm.test('returns ${status}', () => pm.response.to.have.status(${status}));`,
            ...(step.after ? ['const response = pm.response.json();', ...set(step.after)] : []),
          ]),
        ],
        request: requestOf(step, contract),
      };
    }),
  };
}
