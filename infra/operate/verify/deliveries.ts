import type { Request } from '../../publish/contract/invoke.ts';
import type { Send } from '../../publish/contract/send.ts';
import { awaited } from './logs.ts';
import { patient } from './replay.ts';
import { Failure } from './verify.ts';

type Caller = Pick<Request, 'key'>;

/** No such name exists (RFC 6761), which is what an attempt finds out. */
const RECEIVER = 'https://verification.invalid/events';

/** An event is shown after 25 s, and a process of the worker may have to start. */
const LAG = { ms: 90_000, pause: 3_000 };

/** Deletes the webhooks of an acquirer, such as those of a run that was killed. */
export async function deleteWebhooks(send: Send, caller: Caller): Promise<void> {
  const { body } = await patient(send, 'listWebhooks', caller);
  for (const { id } of body.data as { id: string }[]) await patient(send, 'deleteWebhook', { ...caller, path: { id } });
}

/**
 * Creates a webhook of an acquirer. Returns the check that later events of it were attempted to be delivered: that the stream,
 * the queue and the worker are connected.
 */
export async function expectDelivery(send: Send, caller: Caller, lag = LAG): Promise<() => Promise<void>> {
  const { status, body } = await patient(send, 'createWebhook', { ...caller, body: { url: RECEIVER } });
  if (status !== 201) throw new Failure(`createWebhook responded with ${status} ${body.code}, not 201`);
  const ofWebhook = { ...caller, path: { id: body.data.id as string } };
  return async () => {
    const attempts = await awaited(
      async () => (await patient(send, 'listDeliveries', ofWebhook)).body.data as { events: number }[],
      (found) => found.some(({ events }) => events > 0),
      lag,
    );
    await patient(send, 'deleteWebhook', ofWebhook);
    if (!attempts.some(({ events }) => events > 0))
      throw new Failure(
        `no event was delivered to a webhook within ${lag.ms / 1000} s: see the logs of wakeWebhooks and deliverWebhooks, and their event source mappings`,
      );
  };
}
