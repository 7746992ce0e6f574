import { run } from './program.ts';

// Whatever ends this process before its command has ended, such as Ctrl-C at a progress bar, is no success.
let exitCode = 1;
process.on('exit', () => {
  process.exitCode = exitCode;
});
// Who reads the output may have enough of it, as `head` has.
process.stdout.once('error', () => process.exit());
exitCode = await run(process.argv.slice(2), process);
