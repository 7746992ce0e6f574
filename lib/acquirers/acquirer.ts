import * as v from 'valibot';
import { storedText } from '../base/fields.ts';
import { rateLimit, uuidValue } from '../base/values.ts';

/** The types of acquirer: a distributor acts for payment providers (PSPs). */
export const acquirerType = v.picklist(['DISTRIBUTOR', 'PAYMENT_PROVIDER']);

export type AcquirerType = v.InferOutput<typeof acquirerType>;

export const acquirerFields = v.object({
  id: uuidValue,
  type: acquirerType,
  name: storedText,
  /** Its own rate limit, which replaces the stage's. */
  limit: v.optional(rateLimit),
});

export type Acquirer = v.InferOutput<typeof acquirerFields>;
