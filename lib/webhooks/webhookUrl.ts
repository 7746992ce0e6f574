import * as v from 'valibot';
import { url } from '../base/fields.ts';
import { addressFault } from './address.ts';

/** The URL of a webhook in a request. Where its name leads is checked at each delivery. */
export const webhookUrl = v.pipe(
  url,
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? addressFault(dataset.value) : undefined;
    if (fault) addIssue({ message: fault });
  }),
);
