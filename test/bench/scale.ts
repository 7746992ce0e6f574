import { readFileSync, writeFileSync } from 'node:fs';
import { LOCAL_ENVIRONMENT } from '../../infra/stack/localEnvironment.ts';

// Settings for lib/. The model depends on none of them.
Object.assign(process.env, LOCAL_ENVIRONMENT);
const { tables, withTables } = await import('./scaleModel.ts');

const DOCUMENT = new URL('../../docs/scale.md', import.meta.url);
writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
for (const [title, table] of Object.entries(tables)) process.stdout.write(`${title}\n\n${table}\n\n`);
