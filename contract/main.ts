import { writeFileSync } from 'node:fs';
import { LOCAL_ENVIRONMENT } from '../infra/local/environment.ts';

// Functions read their settings when they are imported; the contract depends on none of them.
Object.assign(process.env, LOCAL_ENVIRONMENT, { BASE_URL: 'https://api.acquirer.example' });
const { openapi } = await import('./openapi.ts');
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(await openapi(), null, 2)}\n`);
