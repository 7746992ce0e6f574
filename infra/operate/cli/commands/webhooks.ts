import type { Argument } from 'commander';
import * as v from 'valibot';
import { UUID } from '../../../../lib/base/mid.ts';
import { toWebhook } from '../../../../lib/webhooks/webhook.ts';
import type { Group } from '../command.ts';
import { argument } from '../input.ts';
import { nameAndId, table } from '../output.ts';
import * as service from '../service.ts';

const RESTORED_HELP = `
A restored or copied table delivers nothing until then. Run it once partners know which events they get again. Webhooks that
were paused with "webhooks pause" stay so.`;

const LISTED_ID = v.pipe(v.string(), v.regex(UUID, 'Must be the UUID from "webhooks list".'), v.toLowerCase());
const webhookId = (): Argument => argument('<webhook-id>', 'id from "webhooks list"', LISTED_ID);

export const webhooks: Group = (program) => {
  const group = program.add('webhooks', 'webhooks of acquirers');

  group
    .addOnAcquirer('list', "list an acquirer's webhooks, without their secrets")
    .runsOnAcquirer(async ({ print }, { id }) => {
      const found = (await service.readWebhooks(id)).map(toWebhook);
      const rows = found.map(({ latest_attempt, ...webhook }) => {
        const { status, error } = latest_attempt ?? {};
        return { ...webhook, latest: latest_attempt && `${latest_attempt.at}: ${status ?? error}` };
      });
      const text = table(rows, {
        ID: 'id',
        STATUS: 'status',
        URL: 'url',
        'DELIVERED TO': 'delivered_to',
        FAILURES: 'failures',
        'LATEST ATTEMPT': 'latest',
        'NEXT ATTEMPT': 'next_attempt_at',
      });
      await print(found, text);
    });

  group
    .addOnAcquirer('pause', 'stop deliveries: its status is suspended, and its acquirer cannot resume it')
    .addArgument(webhookId())
    .runsOnAcquirer(async ({ print }, owner, id: string) => {
      const webhook = await service.suspendWebhook(owner.id, id);
      await print(toWebhook(webhook), `Webhook ${id} of ${nameAndId(owner)} is suspended. Its events wait.`);
    });

  group
    .addOnAcquirer('resume', 'let a suspended webhook deliver')
    .addArgument(webhookId())
    .runsOnAcquirer(async ({ print }, owner, id: string) => {
      const webhook = toWebhook(await service.resumeWebhook(owner.id, id));
      await print(webhook, `Webhook ${id} of ${nameAndId(owner)} is ${webhook.status}.`);
    });

  group
    .add('resume-restored', 'let all webhooks of a restored or copied table deliver')
    .addHelpText('after', RESTORED_HELP)
    .runs(async ({ print, confirm }) => {
      await confirm('resume all webhooks that this table got by a restore or a copy');
      const resumed = (await service.resumeRestored()).map(({ id }) => id);
      await print({ resumed }, `Resumed webhooks: ${resumed.length}.`);
    });
};
