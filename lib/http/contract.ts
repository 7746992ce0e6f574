import type { GenericSchema } from 'valibot';

/**
 * The schema of a response's data: its name in the contract (infra/publish/contract/schemas.ts), a list of such items
 * with their maximum, or the schema itself if only this operation has it.
 */
export type DataSchema = string | { listOf: string; most: number } | GenericSchema;

/**
 * What the contract says of an operation beside its route and the schemas of its requests. Examples and problems are
 * recorded from infra/publish/contract/calls.ts.
 */
export interface Contract {
  tag:
    | 'Branches'
    | 'Terminals'
    | 'Find'
    | 'Events'
    | 'Webhooks'
    | 'Refused requests'
    | 'Reference data'
    | 'Caller'
    | 'Members'
    | 'Session'
    | 'Keys'
    | 'People';
  summary: string;
  description: string;
  /** Path parameters by name: the MID of a branch, the TID of a terminal, one of some values, or another id. */
  path?: Record<
    string,
    'mid' | 'tid' | { description: string; oneOf: string[] } | { description: string; id: GenericSchema }
  >;
  isConditional?: true;
  success: {
    status: 200 | 201;
    description: string;
    /** Whether the response is a page of the list envelope. */
    isPage?: true;
    /** Schema of `meta`, unless the response is such a page. */
    meta?: string;
    hasLocation?: true;
  } & (
    | { data: DataSchema; types?: never }
    /** Schemas of `data`, by the `type` in the response. */
    | { types: Record<string, string>; data?: never }
  );
}
