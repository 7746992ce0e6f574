import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private key and its certificate, which it has signed itself: both (PKCS #12), and the certificate alone (PEM). */
export interface KeyPair {
  pfx: Buffer;
  passphrase: string;
  cert: string;
}

/**
 * Makes a certificate of a host that is valid for a day from now on, or was until yesterday, with the tool of the Java
 * runtime, which the engine needs too.
 */
export function newCertificate(host: string, { isExpired = false } = {}): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const passphrase = randomUUID();
  const store = ['-keystore', join(folder, 'store'), '-storetype', 'PKCS12', '-storepass', passphrase, '-alias', 'own'];
  const keytool = (...command: string[]) => execFileSync('keytool', [...command, ...store], { stdio: 'pipe' });
  try {
    keytool(
      ...['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', '-dname', `CN=${randomUUID()}`],
      ...['-ext', `SAN=dns:${host}`, '-startdate', isExpired ? '-2d' : '-1H', '-validity', '1'],
    );
    const cert = keytool('-exportcert', '-rfc').toString();
    return { pfx: readFileSync(join(folder, 'store')), passphrase, cert };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
