import { spawnSync } from 'node:child_process';

/*
 * Fails if npm reports a vulnerability of a deployed package. If the registry does not support `npm audit`, it says so
 * and passes.
 */

/** The output of `npm audit --json`. Without a response from the registry it has a `message` instead of `metadata`. */
interface Report {
  message?: string;
  metadata?: { vulnerabilities: { total: number }; dependencies: { prod: number } };
  vulnerabilities?: Record<string, { severity: string; range: string }>;
}

const { stdout, stderr, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
if (error) throw error;
const { message, metadata, vulnerabilities = {} } = reportOf(stdout);
if (!metadata && !message) {
  process.stderr.write(`npm audit failed:\n${stderr}${stdout}`);
  process.exitCode = 1;
} else if (!metadata) process.stdout.write(`Skipped: the registry does not support npm audit (${message}).\n`);
else if (metadata.vulnerabilities.total === 0)
  process.stdout.write(`No known vulnerabilities in ${metadata.dependencies.prod} packages.\n`);
else {
  const lines = Object.entries(vulnerabilities).map(([name, { severity, range }]) => `${severity}: ${name} ${range}\n`);
  process.stderr.write(`${lines.join('')}See "npm audit --omit=dev".\n`);
  process.exitCode = 1;
}

function reportOf(text: string): Report {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
