import { run } from './program.ts';

// A process that ends before its command, such as by Ctrl-C at the progress bar, must not exit with 0.
let exitCode = 1;
process.on('exit', () => {
  process.exitCode = exitCode;
});
// The reader may close the pipe early, as `head` does.
process.stdout.once('error', () => process.exit());
exitCode = await run(process.argv.slice(2), process);
