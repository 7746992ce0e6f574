import { buildConsole } from './build.ts';

/** The console's page and assets, built when this is imported. In a bundle, infra/stack/bundling.ts puts the built ones here. */
export const app = await buildConsole();
