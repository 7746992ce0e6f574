import { spawnSync } from 'node:child_process';

/*
 * Fails if npm reports a vulnerability of a deployed package. If the registry does not support `npm audit`, it says so
 * and passes; with `--required`, as where an artifact is built, it fails.
 */

const isRequired = process.argv.includes('--required');

const { stdout, stderr, status, error } = spawnSync('npm', ['audit', '--omit=dev'], { encoding: 'utf8' });
if (error) throw error;
process.stdout.write(stdout);
if (stderr.includes('audit endpoint returned an error')) {
  const outcome = isRequired ? 'Failed: nobody has said that there are no vulnerabilities' : 'Skipped';
  process.stdout.write(`${outcome}: the registry does not support npm audit.\n`);
  process.exitCode = Number(isRequired);
} else {
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
}
