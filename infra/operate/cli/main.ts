import { connect } from './connection.ts';
import { run } from './program.ts';
import { DEMO_FILE } from './target.ts';

// A process that ends before its command, such as by Ctrl-C, must not exit with 0.
let exitCode = 1;
process.on('exit', () => {
  process.exitCode = exitCode;
});
// The reader may close the pipe early, as `head` does.
process.stdout.once('error', () => process.exit());
const { stdin, stdout, stderr } = process;

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort());
  return controller.signal;
}

exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, demoFile: DEMO_FILE, connect, interruption });
