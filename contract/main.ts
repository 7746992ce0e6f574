import { writeFileSync } from 'node:fs';
import { LOCAL_ENVIRONMENT } from '../infra/local/environment.ts';

// Functions read their settings when they are imported; the contract depends on none of them.
Object.assign(process.env, LOCAL_ENVIRONMENT, { BASE_URL: 'https://api.acquirer.example' });
const { openapi } = await import('./openapi.ts');
const { postman } = await import('./postman.ts');
const { clientTypes } = await import('./client.ts');

const write = (name: string, text: string) => writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;

const contract = json(await openapi());
write('openapi.json', contract);
write('postman.json', json(await postman(JSON.parse(contract))));
write('client/schema.d.ts', await clientTypes(JSON.parse(contract)));
