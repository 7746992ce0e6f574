import { expect, test } from '@jest/globals';
import { causesIn } from '../../../../infra/operate/verify/logs.ts';

test('what a request did not wait for is no error of a stage, other causes are', () => {
  const causes = [
    { name: 'AbortError', message: 'Request aborted' },
    { name: 'TimeoutError', message: "The API request's budget ended this attempt." },
    { name: 'Error', message: 'aborted\n  Deserialization error: to see the raw response, inspect the hidden field' },
    { name: 'AccessDeniedException', message: 'is not authorized to perform: dynamodb:UpdateItem' },
  ];
  expect(causesIn({ request_id: '1', causes })).toEqual([
    'had AccessDeniedException: is not authorized to perform: dynamodb:UpdateItem',
  ]);
});
