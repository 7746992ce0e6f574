import { beforeAll } from '@jest/globals';
import { createTable } from '../../infra/local/table.ts';

beforeAll(() => createTable(process.env['TABLE_NAME'] as string));
