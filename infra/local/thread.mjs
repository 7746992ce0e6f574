// What each thread of serverless-offline runs for its function. Plain JavaScript, because serverless-offline would compile
// TypeScript with a package of its own, and Node.js 24 runs it as it is.
import { enableCompileCache, flushCompileCache } from 'node:module';

// Threads end when they are idle or code changes. Most of what the next one loads is the same.
enableCompileCache('node_modules/.cache/compiled');
await import('./patient.ts');
const [file] = process.env._HANDLER.split('.');
export const { handler } = await import(`../../${file}.ts`).catch((error) => {
  // With the line of a syntax error, which serverless-offline leaves out.
  process.stderr.write(`${error.stack}\n`);
  throw error;
});
flushCompileCache();
