import { createHmac } from 'node:crypto';

/**
 * The headers of a delivery by which its receiver knows that it is ours, unchanged and new: Standard Webhooks 1.0.
 *
 * @param id The same for each attempt to deliver the same page.
 * @param at When the attempt begins (RFC 3339).
 * @param secrets In plain text. Each signs, so the receiver may know any of them.
 */
export function signedHeaders({
  id,
  at,
  body,
  secrets,
}: {
  id: string;
  at: string;
  body: string;
  secrets: readonly string[];
}): Record<string, string> {
  const timestamp = Math.floor(Date.parse(at) / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
