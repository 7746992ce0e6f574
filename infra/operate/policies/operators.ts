import { type Grants, joined } from '../../stack/template/definitions.ts';

/*
 * What the commands of the operator's tool need, as infra/stack/functions.yml has it for functions. Tests run every command with
 * the grants of its policy: a request without a grant fails, and so does a grant without a request.
 */

/** `find`, `history` and the lists of acquirers and keys. */
const READS: Grants = {
  ACQUIRERS: ['GetItem', 'Query'],
  API_KEY_USE: ['BatchGetItem'],
  BRANCH: ['GetItem', 'BatchGetItem'],
  EVENTS: ['BatchGetItem', 'Query'],
  MASTER_MERCHANT: ['BatchGetItem'],
  PEOPLE: ['BatchGetItem'],
  PERSON: ['GetItem', 'BatchGetItem'],
  RECORD: ['Query'],
  SERIAL: ['GetItem'],
  TERMINAL: ['GetItem', 'BatchGetItem'],
  'events-by-branch': ['Query'],
  'events-by-terminal': ['Query'],
};

/** `reindex`, beside what reads. It reads the whole table (`Scan`), which the policy of auditors adds. */
const REINDEX: Grants = {
  BRANCH: ['ConditionCheckItem'],
  MASTER_MERCHANTS: ['BatchGetItem', 'ConditionCheckItem'],
  WORDS: ['BatchGetItem', 'PutItem', 'DeleteItem'],
};

/** Changes of acquirers, keys, partnerships, reference data and people, and their list. The record is only added to. */
const CHANGES: Grants = {
  ACQUIRER: ['Query'],
  ACQUIRERS: ['PutItem', 'UpdateItem'],
  API_KEY: ['PutItem', 'DeleteItem'],
  DISTRIBUTORS: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  IDENTITY: ['DeleteItem'],
  MASTER_ACQUIRERS: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  PAYMENT_APPS: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  PAYMENT_PROVIDERS: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  PEOPLE: ['Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
  PEOPLE_USE: ['BatchGetItem'],
  PERSON: ['UpdateItem', 'DeleteItem'],
  RECORD: ['PutItem'],
  'branches-by-distributor': ['Query'],
  'branches-by-provider': ['Query'],
};

/** All commands but those of members and cards, and `audit`. */
export const OPERATOR: Grants = [READS, CHANGES, REINDEX].reduce(joined);

/** `members`, `cards` and `history --member`. Some read the whole table (`Scan`), which the policy adds. */
export const MEMBER_OPERATOR: Grants = {
  ACQUIRERS: ['GetItem', 'Query'],
  CARD: ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
  ERASURE: ['GetItem', 'BatchGetItem', 'ConditionCheckItem', 'PutItem', 'DeleteItem'],
  MEMBER: ['BatchGetItem', 'Query', 'PutItem', 'DeleteItem'],
  PERSON: ['BatchGetItem'],
  RECORD: ['BatchGetItem', 'Query', 'PutItem'],
};

/** `find`, `history` of everything but members, and `audit`, which reads the whole table. */
export const AUDITOR: Grants = READS;
