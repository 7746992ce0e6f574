import type { Grants } from '../../stack/template/definitions.ts';

/**
 * What a run does to the table as an operator, by kinds of items: it registers and disables acquirers, issues API keys, signs
 * people in, and adds and erases a member. Tests compare it with the requests of a run.
 */
export const TABLE_GRANTS: Grants = {
  ACQUIRERS: ['BatchGetItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
  API_KEY: ['DeleteItem', 'PutItem'],
  API_KEY_USE: ['BatchGetItem'],
  CARD: ['BatchGetItem', 'DeleteItem', 'UpdateItem'],
  DISTRIBUTORS: ['BatchGetItem', 'DeleteItem', 'PutItem'],
  ERASURE: ['BatchGetItem', 'ConditionCheckItem', 'PutItem'],
  IDENTITY: ['DeleteItem', 'GetItem', 'PutItem'],
  MASTER_ACQUIRERS: ['BatchGetItem', 'PutItem'],
  MEMBER: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query'],
  PAYMENT_APPS: ['BatchGetItem', 'PutItem'],
  PAYMENT_PROVIDERS: ['BatchGetItem', 'DeleteItem', 'PutItem'],
  PEOPLE: ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query'],
  PEOPLE_USE: ['BatchGetItem'],
  PERSON: ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'],
  RECORD: ['PutItem'],
  SESSION: ['PutItem'],
};
