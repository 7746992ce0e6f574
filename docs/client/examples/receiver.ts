import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Event } from 'acquirer-partner-api-client/apply';
import { Webhook } from 'standardwebhooks';

const { PORT = '', WEBHOOK_SECRET = '' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);

/** Ids of the events that were applied. Keep yours in a table: add to it in the transaction that applies an event. */
const applied = new Set<string>();

/** Does with an event whatever you need it for. */
const apply = ({ at, type, branch }: Event) => console.log(at, type, branch.mid);

createServer(async (request, response) => {
  // What is verified is what was received. A body that was parsed and written again is another text.
  const body = await text(request);
  let page: { data: Event[] };
  try {
    page = webhook.verify(body, request.headers as Record<string, string>) as typeof page;
  } catch {
    response.writeHead(401).end();
    return;
  }
  for (const event of page.data.filter(({ id }) => !applied.has(id))) {
    apply(event);
    applied.add(event.id);
  }
  response.writeHead(204).end();
}).listen(Number(PORT), '127.0.0.1');
