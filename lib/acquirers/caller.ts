import * as v from 'valibot';
import { field, shownAs, shownKeyId, shownText, uuidValue } from '../base/values.ts';
import { type Acquirer, acquirerType } from './acquirer.ts';
import { ROLES, type Role } from './roles.ts';

export const shownCaller = v.object({
  acquirer: field(uuidValue, 'Your UUID.'),
  acquirer_name: field(shownText, 'Your name.'),
  acquirer_type: field(acquirerType, 'Whether you are a distributor or a payment provider.'),
  role: field(v.picklist(ROLES), 'The role of the API key, or of the person.'),
  key_id: field(v.nullable(shownKeyId), 'Id of the API key; `null` for a person.'),
  key_label: field(v.nullable(shownText), 'The label of the API key; `null` for a person.'),
});
export type ShownCaller = v.InferOutput<typeof shownCaller>;

export const toShownCaller = (
  { id, name, type }: Acquirer,
  { key_id, label, role }: { key_id?: string | undefined; label?: string | undefined; role: Role },
): ShownCaller =>
  shownAs(shownCaller, { acquirer: id, acquirer_name: name, acquirer_type: type, role, key_id, key_label: label });
