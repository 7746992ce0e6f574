import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { baseUrl } from '../../infra/stack/template/baseUrl.ts';
import { ceilings } from '../../infra/stack/template/ceilings.ts';
import {
  ACCESS,
  functionsOf,
  GRADUAL,
  INDEXES,
  logicalId,
  parameterOf,
  STAGES,
} from '../../infra/stack/template/definitions.ts';
import { hasIssuer, KEYS, PARAMETERS, type Parameters, parametersOf } from '../../infra/stack/template/parameters.ts';
import { recordLog } from '../../infra/stack/template/record.ts';
import { table } from '../../infra/stack/template/table.ts';
import type { Template } from '../../infra/stack/template/template.ts';
import { signIn } from '../../infra/stack/template/userPool.ts';
import { addVersions } from '../../infra/stack/template/versions.ts';
import { parseText, SETTINGS } from '../../lib/base/config.ts';
import { PER_ADDRESS } from '../../lib/http/webPage.ts';
import { UNITS_PER_TOKEN } from '../../lib/limits/cost.ts';
import { WRONG_VALUES, wrongValuesOf } from './wrongParameters.ts';

/*
 * The rows of infra/stack/stages.yml, what is not accepted as a parameter, and what follows from one without packaging
 * a stage.
 */

/** The parameters of a stage with some others in its row. */
const parametersWith = async (more: Record<string, unknown>, stage = 'dev'): Promise<Parameters> => {
  const row = { ...(await parametersOf(stage)), ...more };
  return parametersOf(stage, [], row);
};

describe.each(Object.keys(STAGES))('the row of %s', (stage) => {
  // biome-ignore lint/suspicious/noExplicitAny: parameters have types of their own
  const param = (name: string): any => parameterOf(stage, name);

  test(
    'lets an acquirer at its limit read and write at most a tenth of the units, and send the heaviest ' + 'request',
    () => {
      expect(param('rate') * UNITS_PER_TOKEN.write).toBeLessThanOrEqual(param('maxWriteUnits') / 10);
      expect(param('rate') * UNITS_PER_TOKEN.read).toBeLessThanOrEqual(param('maxReadUnits') / 10);
      // docs/guides/rate-limits.md has this weight.
      expect(param('burst')).toBeGreaterThan(111);
    },
  );

  test('serves ten acquirers at their limits per route, and less than one at unknown routes and sign-in', () => {
    const rate = param('rate');
    expect(['throttleRate', 'throttleBurst', 'createRate'].map(param)).toEqual([10 * rate, 20 * rate, 10 * rate]);
    // In prod, five times as many, so that tills are served beside a flood; half of an account's default quota.
    expect(param('memberCheckRate')).toBe(stage === 'prod' ? 5000 : param('throttleRate'));
    expect(param('unknownRate')).toBeLessThan(rate);
    expect(param('signInRate')).toBeGreaterThanOrEqual(10 * PER_ADDRESS.rate);
    expect(param('monthlyBudget')).toBeGreaterThan(0);
  });

  test('has units for strangers at the limits of all routes beside an acquirer at both of its limits', () => {
    // Each request with a made-up key or cookie takes half a unit, and a process confirms one in 30 s (readCredential).
    const routes = functionsOf(false).filter((name) => 'API_KEY' in (ACCESS[name] ?? {}));
    const rateOf = (name: string): number =>
      param(name === 'memberCheck' ? 'memberCheckRate' : name.startsWith('create') ? 'createRate' : 'throttleRate');
    const requests = Math.min(
      10_000,
      routes.reduce((sum, name) => sum + rateOf(name), 0),
    );
    const strangers = requests / 2 + param('accountConcurrency') / 30;
    expect(strangers + 2 * param('rate') * UNITS_PER_TOKEN.read).toBeLessThanOrEqual(param('maxReadUnits'));
  });

  test('protects only prod, which also pages, and gives staging its shape', () => {
    const [isProd, isDev] = [stage === 'prod', stage === 'dev'];
    expect(['protection', 'dataRemoval', 'urgentTopic'].map(param)).toEqual(
      isProd ? [true, 'RetainExceptOnCreate', 'PageTopic'] : [false, 'Delete', 'NoticeTopic'],
    );
    const [warm, reserved] = [param('memberCheckInstances'), param('memberCheckConcurrency')];
    expect([param('deployment') !== 'AllAtOnce', warm > 0, reserved > 0]).toEqual([!isDev, !isDev, !isDev]);
    // During a deployment, two versions have warm instances.
    expect(reserved).toBeGreaterThanOrEqual(2 * warm);
    expect(Object.keys(STAGES['staging'] ?? {})).toEqual(Object.keys(STAGES['prod'] ?? {}));
  });

  test('has no issuer', async () => expect(hasIssuer(await parametersOf(stage))).toBe(false));
});

describe('a stage', () => {
  const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/00000000-0000-4000-8000-000000000000';
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-4000-8000-000000000000';

  test('can warm the reads alone, or encrypt alone, and has no ceilings that are 0', async () => {
    const none = { maxReadUnits: 0, maxWriteUnits: 0 };
    const WarmThroughput = { ReadUnitsPerSecond: 12_000 };
    const indexes = INDEXES.map((IndexName) => expect.objectContaining({ IndexName, WarmThroughput }));
    expect(table(await parametersWith({ ...none, warmReadUnits: 12_000 }))).toEqual({
      extensions: { Table: { Properties: { WarmThroughput, GlobalSecondaryIndexes: indexes } } },
    });
    const SSESpecification = { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY };
    expect(table(await parametersWith({ ...none, kmsKey: KEY }))).toEqual({
      extensions: { Table: { Properties: { SSESpecification } } },
    });
    expect(table(await parametersWith(none))).toEqual({});
    const off = { memberCheckRate: 0, createRate: 0, unknownRate: 0, signInRate: 0, monthlyBudget: 0 };
    expect(ceilings(await parametersWith(off), 'dev', functionsOf(true))).toEqual({
      extensions: { HttpApiStage: { Properties: { RouteSettings: {} } } },
      Resources: {},
    });
  });

  const ISSUER_RULE =
    'a URL such as https://login.example.com, without query, fragment and credentials, with http only for 127.0.0.1';
  const PREFIX_RULE = '1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito"';
  test.each([
    ['memberCheckRate', 'a whole number of 0 or more', ['fast', '-1', '0.5']],
    ['warmReadUnits', 'a whole number of 12000 or more, which every table has, or 0', ['11999']],
    ['warmWriteUnits', 'a whole number of 4000 or more, which every table has, or 0', ['3999']],
    ['tracing', 'true or false', ['Active']],
    ['kmsKey', 'the ARN of a KMS key, not of an alias', ['alias/table']],
    ['backupVault', 'the ARN of a backup vault', ['locked']],
    ['backupSchedule', 'a cron expression that runs once an hour at most', ['rate(5 minutes)', 'cron(0/30 * * * ? *)']],
    ['backupDays', 'a whole number of 1 to 36500', ['0']],
    ['cardHmacKeySecret', 'the name or the ARN of a secret', ['arn:aws:secretsmanager:*:*:secret:*']],
    ['cognitoClient', 'a whole number of 1 or more', ['0']],
    [
      'deployment',
      'AllAtOnce or a configuration such as Canary10Percent10Minutes',
      ['Canary', 'Canary10Percent7Minutes'],
    ],
    [
      'cognitoDomainPrefix',
      PREFIX_RULE,
      ['Payfair', 'pay_fair', '-payfair', 'payfair-', 'my-aws-people', 'cognito', 'a'.repeat(64)],
    ],
    [
      'siteUrl',
      'a URL such as https://docs.example.com, with nothing but a host and perhaps a path, and without a slash at ' +
        'the end',
      [
        ...['docs.example.com', 'http://docs.example.com', 'https://docs.example.com/', 'https://docs.example.com/a/'],
        ...[
          'https://docs.example.com?a',
          'https://docs.example.com/a#b',
          'https://a@docs.example.com',
          'https://*.example.com',
        ],
        ...['https://docs example.com', 'https://docs.example.com:port', 'javascript:alert(1)', '//docs.example.com'],
      ],
    ],
    [
      'siteOrigin',
      'an origin such as https://docs.example.com, without a path or a slash at the end, with http only for ' +
        'localhost and 127.0.0.1',
      [
        ...['*', 'https://*.example.com', 'https://docs.example.com/', 'https://docs.example.com?a', 'null'],
        ...['https://docs.example.com:443', 'https://Docs.example.com', 'https://a@docs.example.com'],
        ...['https://docs.example.com,https://a.example', 'http://docs.example.com', 'http://localhost.example.com'],
      ],
    ],
    [
      'issuer',
      ISSUER_RULE,
      [
        ...['login.example.com', 'http://login.example.com', 'http://localhost:4000', 'https://', 'true'],
        ...['http://127.0.0.1.example.com', 'http://127.0.0.1@example.com', 'https://*.example.com'],
        ...['https://user:secret@login.example.com', 'https://login.example.com?tenant=1'],
        ...['https://login.example.com#a', 'https://login example.com', 'https://login.example.com:port'],
      ],
    ],
  ])('rejects a %s that is not %s', async (name, rule, values) => {
    for (const value of values)
      await expect(parametersWith({ clientId: 'console', [name]: value })).rejects.toThrow(
        `The parameter ${name} must be ${rule}, not "${value}".`,
      );
  });

  test.each([
    ['siteUrl', ['https://docs.example.com', 'https://docs.example.com:8443', 'https://example.com/partners/docs']],
    ['siteOrigin', ['https://docs.example.com:8443', 'http://localhost', 'http://127.0.0.1:4000']],
    [
      'issuer',
      ['https://login.example.com/', 'https://login.example.com:8443/oauth2/default', 'http://127.0.0.1:4000'],
    ],
  ])('accepts these as %s', async (name, values) => {
    for (const value of values)
      expect(
        await parametersWith({ issuer: 'https://login.example.com', clientId: 'console', [name]: value }),
      ).toMatchObject({ [name]: value });
  });

  test('rejects everything at once, and parameters that contradict each other', async () => {
    await expect(parametersWith({ tracing: 'yes', backupDays: 0 })).rejects.toThrow(
      'The parameter tracing must be true or false, not "yes".\nThe parameter backupDays must be',
    );
    const contradictions: [Record<string, string | number>, string][] = [
      [{ domain: 'partners.example.com' }, 'The parameter domain needs a certificate.'],
      [{ certificate: CERTIFICATE }, 'The parameter certificate needs a domain.'],
      [
        { siteUrl: 'https://api.example.com/docs', domain: 'api.example.com', certificate: CERTIFICATE },
        'The parameter siteUrl must have another host than domain and baseUrl: what the docs site runs could act as ' +
          'the people of the console.',
      ],
      [
        { domain: 'partners.example.com', certificate: CERTIFICATE.replace('eu-central-1', 'us-east-1') },
        'The parameter certificate must be in the stage\'s Region, eu-central-1: "arn:aws:acm:us-east-1:',
      ],
      [{ kmsKey: KEY.replace('eu-central-1', 'us-east-1') }, "The parameter kmsKey must be in the stage's Region"],
      [{ issuer: 'https://login.example.com' }, 'The parameter issuer needs a clientId.'],
      [{ clientId: 'console' }, 'The parameter clientId needs an issuer.'],
      [
        { cognitoDomainPrefix: 'payfair-people', clientId: 'console' },
        'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
      ],
      [
        { rate: 90 },
        'The parameters rate and burst contradict each other. The rate must be a positive whole number and the ' +
          'burst a multiple of it, at most 60 times the rate: not 90 and 120.',
      ],
      [
        { memberCheckMs: 20_000 },
        'The parameter memberCheckMs must be below 20000, not 20000: the function ends then.',
      ],
      [
        { table: 'acquirer-partner-api-prod' },
        'The parameter table must be acquirer-partner-api-dev, or begin with "acquirer-partner-api-dev-": ' +
          '"acquirer-partner-api-prod".',
      ],
      ...Object.entries(KEYS).flatMap(([parameter, key]) =>
        [`acquirer-partner-api-prod/${key}`, 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:a'].map(
          (secret): [Record<string, string>, string] => [
            { [parameter]: secret },
            `The parameter ${parameter} must be acquirer-partner-api-dev/${key}, which is the default, or ` +
              `the ARN of a secret in the stage's account and Region: "${secret}".`,
          ],
        ),
      ),
    ];
    for (const [more, message] of contradictions) await expect(parametersWith(more)).rejects.toThrow(message);
  });

  test.each([
    [
      'more member checks than their environments serve',
      { memberCheckRate: 5001 },
      'The parameter memberCheckRate lets in 5001 requests a second, but a concurrency of 500 serves 5000 ' +
        '(memberCheck). Lower it, or raise memberCheckConcurrency.',
    ],
    [
      'more requests than the rest of the concurrency serves',
      { throttleRate: 2601, throttleBurst: 2601 },
      'The parameter throttleRate lets in 2601 requests a second, but a concurrency of 260 serves 2600 (all other ' +
        'functions). Lower it, or raise accountConcurrency.',
    ],
    [
      'a reservation that leaves Lambda too little',
      { memberCheckConcurrency: 750 },
      'The parameters reserve a concurrency of 950 of 1000, but Lambda keeps 100 unreserved. Have the quota raised, ' +
        'then raise accountConcurrency.',
    ],
    [
      'more warm processes than two versions may have',
      { memberCheckInstances: 251 },
      'The parameter memberCheckInstances must be 250 or less, not 251: a deployment has two versions of ' +
        'memberCheck, each with its warm processes.',
    ],
    [
      'a burst that lets in less than the rate',
      { throttleBurst: 999 },
      'The parameter throttleBurst must be 1000 or more, not 999: throttleRate lets in that many requests a second.',
    ],
    [
      'a rate that closes the API, with a burst that does not',
      { throttleRate: 0 },
      'With the parameter throttleRate at 0, which closes the API, throttleBurst must be 0 too.',
    ],
  ])('rejects %s', async (_, more, message) => {
    await expect(parametersWith(more, 'prod')).rejects.toThrow(message);
  });

  test('behind a public origin of its own, has its URL there, and gets people back there who sign in', async () => {
    const edge = { domain: 'origin.example.com', certificate: CERTIFICATE, baseUrl: 'https://partners.example.com' };
    const parameters = await parametersWith({ ...edge, cognitoDomainPrefix: 'payfair-people' });
    expect(baseUrl(parameters)).toBe('https://partners.example.com');
    expect(signIn(parameters)).toMatchObject({
      Resources: {
        UserPoolClient1: { Properties: { CallbackURLs: ['https://partners.example.com/console/callback'] } },
      },
      Outputs: { SignInRedirectUrl: { Value: 'https://partners.example.com/console/callback' } },
    });
  });

  test('lets a docs site send and read what the contract has, apart from what browsers allow anyway', () => {
    const sent = new Set<string>();
    // Without the headers of deliveries, which are sent to partners.
    const { webhooks: _, ...contract } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const { paths, components } = JSON.parse(JSON.stringify(contract), (_, value) => {
      if (value?.in === 'header') sent.add(value.name.toLowerCase());
      return value;
    });
    const methods = Object.values<object>(paths).flatMap((operations) => Object.keys(operations));
    const { AllowMethods, AllowHeaders, ExposeHeaders } = parse(readFileSync('infra/stack/cors.yml', 'utf8')).extensions
      .HttpApi.Properties.CorsConfiguration;
    expect(new Set(AllowMethods)).toEqual(new Set(methods.map((method) => method.toUpperCase())));
    // Browsers allow the content types of forms, but not JSON.
    expect(new Set(AllowHeaders)).toEqual(new Set([...sent, 'content-type']));
    expect(new Set(ExposeHeaders)).toEqual(new Set(Object.keys(components.headers).map((name) => name.toLowerCase())));
  });

  test.each([
    [6, 7],
    [400, 400],
    [401, 545],
    [3654, undefined],
  ])('that retains the record for %i days retains its copy for %s', (eventDays, days) => {
    expect(recordLog({ eventDays }).Resources.RecordLogGroup.Properties.RetentionInDays).toBe(days);
  });
});

describe('every parameter', () => {
  test.each(PARAMETERS)('%s is refused with a wrong value, in a row and on the command line', async (name) => {
    const right = await parametersOf('prod');
    const { inRow, given } = wrongValuesOf(right, name);
    expect(Math.min(inRow.length, given.length)).toBeGreaterThanOrEqual(WRONG_VALUES);
    const message = `The parameter ${name} must be`;
    for (const value of inRow) await expect(parametersWith({ [name]: value }, 'prod')).rejects.toThrow(message);
    for (const text of given) await expect(parametersOf('prod', [`${name}=${text}`])).rejects.toThrow(message);
    const missing = { ...right, [name]: undefined };
    await expect(parametersWith(missing, 'prod')).rejects.toThrow(`The parameter ${name} is missing. It must be `);
  });

  test.each(PARAMETERS)('%s is refused misspelled, in a row and on the command line', async (name) => {
    const message = `There is no parameter ${name}s: see`;
    await expect(parametersWith({ [`${name}s`]: 1 })).rejects.toThrow(message);
    await expect(parametersOf('dev', [`${name}s=1`])).rejects.toThrow(message);
  });

  test('on the command line spells numbers and truth values, and texts in quotes are texts in a row', async () => {
    const given = ['rate=60', 'burst=120', 'tracing=true', 'account=111122223333'];
    expect(await parametersOf('dev', given)).toMatchObject({
      rate: 60,
      burst: 120,
      tracing: true,
      account: '111122223333',
    });
    await expect(parametersWith({ maxWriteUnits: '16000' })).rejects.toThrow('not "16000". Remove its quotes.');
    await expect(parametersWith({ account: 111122223333 })).rejects.toThrow(
      'twelve digits in quotes, not 111122223333.',
    );
  });

  test('that a template or a function takes is one of these, but for what only `npm start` sets', () => {
    const files = globSync(['serverless.yml', 'infra/stack/**/*.{yml,ts}']);
    const taken = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\$\{param:(\w+)\}/g)].map(([, name]) => name as string),
    );
    const others = new Set(taken).difference(new Set<string>(PARAMETERS));
    expect([...others].sort()).toEqual([
      ...['clientCredentialSecret', 'sealingKeySecret', 'selfCheckIsOn', 'selfCheckKeySecret'],
    ]);
    // Nor can a stage have them.
    return Promise.all(
      [...others].map((name) =>
        expect(parametersWith({ [name]: 'a' })).rejects.toThrow(`There is no parameter ${name}:`),
      ),
    );
  });

  test('that is the setting of a function is accepted only if the function accepts it', async () => {
    const settings = ['serverless.yml', 'infra/stack/functions.yml'].flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/([A-Z_]+): "?\$\{param:(\w+)\}/g)].map(([, name, of]) => [name, of]),
    ) as [keyof typeof SETTINGS, keyof Parameters][];
    const right = await parametersOf('prod', ['issuer=https://login.example.com', 'clientId=console']);
    const checked = settings.filter(([, of]) => PARAMETERS.includes(of));
    expect(checked.map(([name]) => name)).toEqual(expect.arrayContaining(['RATE', 'BURST', 'EVENT_DAYS', 'ISSUER']));
    for (const [name, of] of checked)
      for (const value of [
        right[of],
        ...wrongValuesOf(right, of).inRow,
        1,
        99,
        100,
        36_501,
        'ERROR',
        'a',
        'a/b',
        'a:b',
      ]) {
        const accepted = await parametersWith({ ...right, [of]: value }, 'prod').then(
          () => true,
          () => false,
        );
        // An empty text is off: no function reads it.
        if (accepted && value !== '')
          expect([name, value, parseText(SETTINGS[name], String(value)).success]).toEqual([name, value, true]);
      }
  });

  test.each([
    ['prod-2', 'The name of a stage must not begin with another\'s: "prod-2" and "prod".'],
    ['pro', 'The name of a stage must not begin with another\'s: "pro" and "prod".'],
    [
      'Test',
      'The name of a stage must begin with a letter, and have at most 20 lowercase letters, digits and hyphens: ' +
        '"Test".',
    ],
  ])('needs a stage that is not named %s', async (stage, message) => {
    const name = `acquirer-partner-api-${stage}`;
    const row = { ...(await parametersOf('dev')), table: name, cardHmacKeySecret: `${name}/card-hmac-key` };
    await expect(parametersOf(stage, [], row)).rejects.toThrow(message);
  });

  test.each(['prd', 'default', 'local', ''])('needs a stage, and "%s" is none', async (stage) => {
    await expect(parametersOf(stage)).rejects.toThrow(
      `There is no stage "${stage}". Stages of infra/stack/stages.yml: dev, staging, prod.`,
    );
  });
});

describe('the version of a gradual function', () => {
  /** The logical ids of versions with these properties and this code. */
  const versionOf = (properties: object = {}, zip = 'a') => {
    const Resources: Template['Resources'] = {};
    for (const name of GRADUAL) {
      const Properties = { Handler: name, Environment: { Variables: { TABLE_NAME: 'table' } }, ...properties };
      Resources[logicalId(name, 'LambdaFunction')] = { Type: 'AWS::Lambda::Function', Properties };
      Resources[logicalId(name, 'LiveAlias')] = { Type: 'AWS::Lambda::Alias', Properties: {} };
    }
    addVersions({ Resources, Outputs: {} }, () => Buffer.from(zip));
    return Object.keys(Resources).filter((id) => Resources[id]?.Type === 'AWS::Lambda::Version');
  };

  test.each([
    ['other code', {}, 'b'],
    ['another LoggingConfig', { LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'INFO' } }, 'a'],
    ['other settings', { Environment: { Variables: { TABLE_NAME: 'another' } } }, 'a'],
    ['a property that does not exist yet', { New: 1 }, 'a'],
  ])('is another one with %s', (_, properties, zip) => {
    expect(versionOf(properties, zip)).not.toEqual(versionOf());
  });

  test.each([
    ['Code', { S3Key: 'serverless/acquirer-partner-api/prod/2-2026/lookup.zip' }],
    ['Tags', []],
    ['ReservedConcurrentExecutions', 5],
  ])('is the same with another %s, which Lambda does not publish', (name, value) => {
    expect(versionOf({ [name]: value })).toEqual(versionOf());
  });
});
