import { expect, test } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { newSecret } from '../../../lib/webhooks/secret.ts';
import { signedHeaders } from '../../../lib/webhooks/signature.ts';

const id = '0199c0de-0000-7000-8000-000000000001';
const body = '{"data":[{"city":"Évora"}],"meta":{"next":"x","missed_before":null}}';
const [secret, earlier] = [newSecret(), newSecret()];

const signed = ({ at = new Date(), secrets = [secret] } = {}) =>
  signedHeaders({ id, at: at.toISOString(), body, secrets });

test('signs as the example of the specification', () => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, "Signature scheme".
  expect(
    signedHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_000).toISOString(),
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  ).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the published library verifies it with any secret that signs', () => {
  for (const known of [secret, earlier])
    expect(new Webhook(known).verify(body, signed({ secrets: [secret, earlier] }))).toEqual(JSON.parse(body));
});

test('the published library refuses one byte changed, another id, a time 5 minutes off, and a foreign secret', () => {
  const refused = (text: string, headers: Record<string, string>, known = secret) =>
    expect(() => new Webhook(known).verify(text, headers)).toThrow(WebhookVerificationError);
  for (let at = 0; at < body.length; at += 1)
    refused(`${body.slice(0, at)}${body[at] === 'x' ? 'y' : 'x'}${body.slice(at + 1)}`, signed());
  refused(body, { ...signed(), 'webhook-id': id.replace('1', '2') });
  refused(body, { ...signed(), 'webhook-timestamp': String(Number(signed()['webhook-timestamp']) + 1) });
  refused(body, signed({ at: new Date(Date.now() - 301_000) }));
  refused(body, signed({ at: new Date(Date.now() + 302_000) }));
  refused(body, signed(), newSecret());
});
