import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { shownReference } from '../../../lib/acquirers/reference.ts';
import { shownIssuedKey, shownKey, shownRotatedKey } from '../../../lib/acquirers/shownKey.ts';
import { listedBranch, shownBranch, shownBranchSummary } from '../../../lib/branches/branch.ts';
import { seenTerminal } from '../../../lib/branches/lastSeen.ts';
import { nextPageMeta, terminalWithBranch } from '../../../lib/branches/listAllTerminals.ts';
import { shownLastSeen } from '../../../lib/branches/listLastSeen.ts';
import { shownMasterMerchant } from '../../../lib/branches/masterMerchant.ts';
import { releasedSerial } from '../../../lib/branches/releasedSerial.ts';
import { deletedTerminal, shownCreatedBranch, shownTerminal } from '../../../lib/branches/terminal.ts';
import { shownFound, shownFoundTerminal } from '../../../lib/find/findByText.ts';
import { shownAccessChange } from '../../../lib/history/accessChanges.ts';
import { shownActivity } from '../../../lib/history/activity.ts';
import { shownEvent, shownEventsMeta } from '../../../lib/history/shownEvent.ts';
import { shownAccessChangesMeta, shownActivityMeta, shownHistoryMeta } from '../../../lib/http/history.ts';
import { shownLinks, shownMeta } from '../../../lib/http/page.ts';
import { fieldWarning, parameterWarning } from '../../../lib/http/warnings.ts';
import { shownMemberCheck } from '../../../lib/members/checkMember.ts';
import { shownInvitation, shownMadeInvitation, shownPeople, shownPerson } from '../../../lib/people/people.ts';
import { shownRefusedRequest } from '../../../lib/refusedRequests/refusedRequest.ts';
import { shownDelivery, shownWebhook, shownWebhookWithSecret } from '../../../lib/webhooks/webhook.ts';

/** A JSON Schema (draft 2020-12), as in OpenAPI 3.1. */
export interface Schema {
  [keyword: string]: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

/** The schemas of warnings, which every response can have. */
const WARNINGS: Record<string, v.GenericSchema> = {
  FieldWarning: fieldWarning,
  ParameterWarning: parameterWarning,
};

/** The schemas of branches and terminals, in both contracts. */
const RESOURCES: Record<string, v.GenericSchema> = {
  ListedBranch: listedBranch,
  Branch: shownBranch,
  CreatedBranch: shownCreatedBranch,
  Terminal: shownTerminal,
  DeletedTerminal: deletedTerminal,
  ReleasedSerial: releasedSerial,
};

/** The schemas of responses, by their names in docs/openapi.json. */
const NAMED: Record<string, v.GenericSchema> = {
  ...RESOURCES,
  FoundTerminal: seenTerminal,
  MasterMerchant: shownMasterMerchant,
  LookupItem: shownReference,
  MemberCheck: shownMemberCheck,
  ...WARNINGS,
  TerminalWithBranch: terminalWithBranch,
  NextPageMeta: nextPageMeta,
  EventsMeta: shownEventsMeta,
  HistoryMeta: shownHistoryMeta,
  Links: shownLinks,
  Meta: shownMeta,
  Event: shownEvent,
  Webhook: shownWebhook,
  WebhookWithSecret: shownWebhookWithSecret,
  Delivery: shownDelivery,
  RefusedRequest: shownRefusedRequest,
};

/** The schemas of responses, by their names in docs/console.openapi.json. */
const CONSOLE_NAMED: Record<string, v.GenericSchema> = {
  ApiKey: shownKey,
  CreatedApiKey: shownIssuedKey,
  RotatedApiKey: shownRotatedKey,
  Person: shownPerson,
  Invitation: shownInvitation,
  CreatedInvitation: shownMadeInvitation,
  People: shownPeople,
  Found: shownFound,
  FoundTerminal: shownFoundTerminal,
  BranchSummary: shownBranchSummary,
  LastSeen: shownLastSeen,
  NextPageMeta: nextPageMeta,
  AccessChange: shownAccessChange,
  Activity: shownActivity,
  AccessChangesMeta: shownAccessChangesMeta,
  ActivityMeta: shownActivityMeta,
  Event: shownEvent,
  ...RESOURCES,
  ...WARNINGS,
};

const NAMES = new Map([NAMED, CONSOLE_NAMED].flatMap(Object.entries).map(([name, schema]) => [schema, name]));

/** A reference to one of the schemas of the same contract. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * An object of a response. The schema allows additional fields, because later versions may add some;
 * test/support/contract.ts forbids them.
 */
export const objectOf = (properties: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema => ({
  type: 'object',
  ...(Object.keys(properties).length > 0 && { required: Object.keys(properties) }),
  properties: { ...properties, ...optional },
});

export const mapped = <T, U>(values: Record<string, T>, map: (value: T, name: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

export const listOf = (items: Schema, maxItems: number): Schema => ({ type: 'array', maxItems, items });

/**
 * Converts a schema of a response, with references to the named ones.
 *
 * @throws Error for what the library cannot convert. The lint of the contract rejects texts and numbers without a limit: use a
 *   value of lib/base/values.ts, or give it `jsonSchema` metadata.
 */
export function responseSchema(schema: v.GenericSchema): Schema {
  const { $schema: _, ...made } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    overrideSchema({ valibotSchema, jsonSchema }) {
      const name = NAMES.get(valibotSchema);
      if (name) return ref(name);
      const { anyOf: [inner] = [], required = [], type: _, ...rest } = jsonSchema as Converted;
      if (valibotSchema.type === 'nullable')
        return { ...inner, ...rest, type: [inner?.['type'], 'null'] } as JsonSchema;
      if (valibotSchema.type === 'literal') return { type: 'string', ...jsonSchema };
      // Required first, as people read it. Where nothing is, the keyword is left out.
      return valibotSchema.type === 'object'
        ? { type: 'object', ...(required.length > 0 && { required }), ...rest }
        : undefined;
    },
    overrideAction({ valibotAction, jsonSchema: { description } }) {
      const { jsonSchema } = (valibotAction as { metadata?: { jsonSchema?: JsonSchema } }).metadata ?? {};
      return jsonSchema && { ...jsonSchema, ...(description && { description }) };
    },
  });
  return made as Schema;
}

/** The parts of a schema, as the library converts it, that are converted further. */
interface Converted extends Schema {
  anyOf?: Schema[];
}

/** Each schema by its name. Of a copy, so that it is not a reference to itself. */
const inlineSchemas = (named: Record<string, v.GenericSchema>): Record<string, Schema> =>
  mapped(named, (schema) => responseSchema({ ...schema }));

/** The schemas of responses in docs/openapi.json. */
export const SCHEMAS: Record<string, Schema> = inlineSchemas(NAMED);

/** The schemas of responses in docs/console.openapi.json. */
export const CONSOLE_SCHEMAS: Record<string, Schema> = inlineSchemas(CONSOLE_NAMED);

/** Descriptions of request fields that no response has, or that differ from those of responses. */
export const REQUEST_FIELDS: Record<string, string> = {
  branch_name: 'Display name of the branch: `merchant_name` in responses.',
  reason: 'Why the terminal is archived.',
  amount: 'Amount of the transaction, in major units of its currency.',
  card_id: 'Identifier of the card.',
  card_pseudo_token: 'Pseudo token of the card.',
  after: 'The place in the feed: a cursor, a time (RFC 3339, UTC), or `oldest`.',
  acquirer_id: 'Your UUID, or the UUID of the payment provider of the terminal’s branch.',
};
export const CONSOLE_REQUEST_FIELDS: Record<string, string> = {
  email: 'The address that the invited person must have. Capitals do not matter.',
  overlap_hours: 'For how many more hours the earlier key works.',
};

const descriptionsIn = ({ properties = {} }: Schema): [string, string][] =>
  Object.entries(properties).flatMap(([name, { description, items = {} }]) => [
    ...descriptionsIn(items),
    ...(typeof description === 'string' ? [[name, description] as [string, string]] : []),
  ]);

/**
 * Finds the descriptions of request fields. Fields that responses have too share theirs.
 *
 * @param schemas The schemas of responses. If they describe a field differently, the response to the request counts.
 * @param own Descriptions of fields in requests.
 * @returns A function of a field and of the `data` with which its request succeeds. It throws an Error when the field has no
 *   description, or several.
 */
export function descriptionsOf(schemas: Record<string, Schema>, own: Record<string, string>) {
  const all = Object.values(schemas).flatMap(descriptionsIn);
  return (field: string, data: unknown): string => {
    const shown = typeof data === 'string' ? descriptionsIn(schemas[data] ?? {}) : [];
    const found = [shown, all].map((each) => each.flatMap(([name, text]) => (name === field ? [text] : [])));
    const [description, ...others] = new Set(own[field] ? [own[field]] : found.find((each) => each.length > 0));
    if (!description || others.length > 0)
      throw new Error(
        `Responses describe the request field ${field} ${description ? 'differently' : 'nowhere'}: do so once, or add it to REQUEST_FIELDS.`,
      );
    return description;
  };
}
