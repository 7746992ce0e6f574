import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private key and its certificate, which it has signed itself. */
export interface KeyPair {
  key: string;
  cert: string;
}

/** Makes a certificate of a host that is valid for so many days from now; −1 for one that has expired. */
export function newCertificate(host: string, days = 1): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const openssl = (command: string) => execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' });
  const contentOf = (name: string) => readFileSync(join(folder, name), 'utf8');
  try {
    writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${host}\n`);
    openssl(
      `req -batch -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=${randomUUID()} ` +
        '-keyout key -out request',
    );
    openssl(`x509 -req -in request -signkey key -days ${days} -extfile names -out cert`);
    return { key: contentOf('key'), cert: contentOf('cert') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
