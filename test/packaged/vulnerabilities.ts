import { spawnSync } from 'node:child_process';

/*
 * Fails if npm reports a vulnerability of a deployed package. If the registry does not support `npm audit`, it says so
 * and passes.
 */

const { stdout, stderr, status, error } = spawnSync('npm', ['audit', '--omit=dev'], { encoding: 'utf8' });
if (error) throw error;
process.stdout.write(stdout);
if (stderr.includes('audit endpoint returned an error'))
  process.stdout.write('Skipped: the registry does not support npm audit.\n');
else {
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}
