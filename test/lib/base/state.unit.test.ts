import { describe, expect, test } from '@jest/globals';
import { etagOf, expectState } from '../../../lib/base/state.ts';

const [CREATED, LATER] = ['2026-11-20T09:30:00.000Z', '2026-11-20T09:31:00.000Z'];
const ACTIVE = { updated_at: CREATED, archived_at: null };
const ARCHIVED = { updated_at: LATER, archived_at: LATER };

test('the ETag of what is active is its updated_at; of what is archived, also its archived_at', () => {
  expect(etagOf(ACTIVE)).toBe(`"${CREATED}"`);
  expect(etagOf(ARCHIVED)).toBe(`"${LATER}/${LATER}"`);
  // The clock of the process that archived the branch was behind.
  expect(etagOf({ updated_at: LATER, archived_at: CREATED })).toBe(`"${LATER}/${CREATED}"`);
});

describe('If-Match', () => {
  const tag = etagOf(ARCHIVED);
  const other = etagOf(ACTIVE);

  test.each([
    ['is absent', undefined],
    ['is the ETag', tag],
    ['is *', '*'],
    ['lists the ETag among others', `${other},${tag}, "x"`],
    ['has white space around the ETag', ` ${tag}\t`],
    ['lists *', `${other}, *`],
  ])('accepts a change if it %s', (_, if_match) => {
    expect(() => expectState({ if_match }, ARCHIVED)).not.toThrow();
  });

  test.each([
    ['is another ETag', other],
    ['lists other ETags only', `${other}, "*"`],
    ['is the weak ETag', `W/${tag}`],
    ['is the ETag without quotation marks', tag.slice(1, -1)],
    ['is the updated_at of what is archived', `"${LATER}"`],
    ['is a part of the ETag', tag.slice(0, -2)],
    ['is empty', ''],
  ])('throws precondition_failed with the current ETag if it %s', (_, if_match) => {
    expect(() => expectState({ if_match }, ARCHIVED)).toThrow(
      expect.objectContaining({
        code: 'precondition_failed',
        etag: tag,
        message: `If-Match does not list the current ETag ${tag}. Read the branch or terminal again, then decide whether to repeat your change.`,
      }),
    );
  });
});
