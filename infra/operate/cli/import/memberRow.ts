import * as v from 'valibot';
import { fieldErrorsOf } from '../../../../lib/base/fieldErrors.ts';
import { currency, keyName, objectOf, storedText, text } from '../../../../lib/base/fields.ts';
import { withoutInvisible } from '../../../../lib/base/invisible.ts';
import type { FieldError } from '../../../../lib/base/problem.ts';
import { exists } from '../../../../lib/base/time.ts';
import type { CardIdentifiers, Reward } from '../../../../lib/members/member.ts';

/** A valid row of an import: a card of a member, a reward, or both. */
export interface MemberRow {
  member_id: string;
  card?: CardIdentifiers;
  reward?: Reward;
}

/** No terminal sends a line break, and a member check drops invisible characters too. */
export const identifier = v.pipe(
  v.string(),
  v.transform(withoutInvisible),
  keyName,
  v.regex(/^.*$/u, 'Must not contain line breaks.'),
);

/** No currency of ISO 4217 has more than four decimal places. */
const amount = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
  v.check((value) => Number(value.toFixed(4)) === value, 'Must have at most 4 decimal places.'),
);

const UTC = 'Must be a time in UTC (RFC 3339), such as 2026-01-31T23:59:59Z.';

const time = v.pipe(
  text,
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]00:00)$/, UTC),
  v.check(exists, UTC),
  v.transform((value) => new Date(value).toISOString()),
);

/** An identifier that is stored in plain text, unlike a card's. */
const storedIdentifier = v.pipe(storedText, identifier);
export const memberId = storedIdentifier;

const MEMBER = { member_id: memberId };
const CARD = { card_id: identifier, card_pseudo_token: identifier };
const REWARD = {
  reward_id: storedIdentifier,
  name: storedText,
  currency,
  minimum_amount: amount,
  valid_from: time,
  expires_at: time,
};

const Member = objectOf(MEMBER);
const Card = objectOf(CARD);
const RewardFields = v.pipe(
  objectOf(REWARD),
  v.forward(
    v.partialCheck(
      [['valid_from'], ['expires_at']],
      ({ valid_from, expires_at }) => valid_from < expires_at,
      'Must be later than valid_from.',
    ),
    ['expires_at'],
  ),
);

export const FIELDS = [MEMBER, CARD, REWARD].flatMap((part) => Object.keys(part));

export const rowError = (code: string, detail: string): FieldError => ({ pointer: '', code, detail });

/**
 * Validates the fields of a row; `undefined` means absent. Field errors never repeat values.
 *
 * @returns The row, or all field errors.
 */
export function memberRowOf(fields: Record<string, unknown>): MemberRow | FieldError[] {
  const names = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  // The replacement character for invalid UTF-8.
  if (JSON.stringify(fields).includes('\uFFFD')) return [rowError('invalid_format', 'Must be in UTF-8.')];

  const has = (part: object) => names.some((name) => Object.hasOwn(part, name));
  const member = v.safeParse(Member, fields);
  const card = has(CARD) ? v.safeParse(Card, fields) : undefined;
  const reward = has(REWARD) ? v.safeParse(RewardFields, fields) : undefined;
  const errors = fieldErrorsOf([member, card, reward].flatMap((part) => part?.issues ?? []));
  if (!card && !reward && member.success)
    errors.push(rowError('required', 'Has neither a card (card_id, card_pseudo_token) nor a reward (reward_id, …).'));
  if (!member.success || errors.length > 0) return errors;
  return {
    ...member.output,
    ...(card?.success && { card: card.output }),
    ...(reward?.success && { reward: reward.output }),
  };
}
