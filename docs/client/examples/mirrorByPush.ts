import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from 'acquirer-partner-api-client';
import { apply, type Event, type Replica } from 'acquirer-partner-api-client/apply';
import { Webhook } from 'standardwebhooks';
import { load, save } from './copy.js';
import { walk } from './mirror.js';

const [file = 'estate.json'] = process.argv.slice(2);
const { BASE_URL = '', API_KEY = '', PORT = '', WEBHOOK_SECRET = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, attempts: 10 });
const webhook = new Webhook(WEBHOOK_SECRET);

// Deliveries wait until this server listens.
let replica = load(file) ?? (await walk(api));

/** The lists, read again: once for all attempts of a delivery, because that may take longer than one of them. */
let again: { delivery: string | undefined; replica: Promise<Replica> } | undefined;
function readAgain(delivery: string | undefined): Promise<Replica> {
  if (again === undefined || again.delivery !== delivery) again = { delivery, replica: walk(api) };
  return again.replica;
}

createServer(async (request, response) => {
  const body = await text(request);
  const headers = request.headers as Record<string, string>;
  let page: { data: Event[]; meta: { next: string; missed_before: string | null } };
  try {
    page = webhook.verify(body, headers) as typeof page;
  } catch {
    response.writeHead(401).end();
    return;
  }
  if (page.meta.missed_before !== null) replica = await readAgain(headers['webhook-id']);
  for (const event of page.data) apply(replica, event);
  replica.cursor = page.meta.next;
  save(file, replica, page.data);
  response.writeHead(204).end();
}).listen(Number(PORT), '127.0.0.1');
