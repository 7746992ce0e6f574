import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../support/api.ts';
import { TIME } from '../../support/constants.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

let caller: Caller;

beforeAll(async () => {
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});

describe('getRefusedRequest', () => {
  test('200: returns why a request was refused, and where in its body', async () => {
    const { headers } = await call('createBranch', { key: caller.key, body: { mid: '!', mcc: 'abc' } });
    const request_id = headers['x-request-id'] as string;
    const { status, body } = await call('getRefusedRequest', { key: caller.key, path: { request_id } });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        request_id,
        at: TIME,
        operation: 'createBranch',
        mid: null,
        tid: null,
        webhook: null,
        status: 422,
        code: 'validation_failed',
        errors: [
          { pointer: '/mid', code: 'invalid_format' },
          { pointer: '/mcc', code: 'invalid_format' },
          { pointer: '/existing_master_merchant', code: 'required' },
          { pointer: '/master_merchant_id', code: 'required' },
        ],
        more_errors: 0,
        validate_only: false,
        key_id: expect.stringMatching(/^[0-9a-f]{12}$/),
        key_label: 'test',
        person: null,
        duration_ms: expect.any(Number),
        weight: 1,
        times: 1,
      },
    });
  });
});
