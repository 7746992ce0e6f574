import { randomBytes } from 'node:crypto';
import { type ApiOperation, beforehand, requestOf, type Subject, subjectOf } from '../contract/calls.ts';
import { BadResponse, type Send } from '../contract/send.ts';
import type { AnyOperation, ApiResponse, Request } from '../local/invoke.ts';
import type { Parties, Party } from './acquirers.ts';
import { Failure, type FunctionName, Skipped } from './failure.ts';
import type { Operator } from './operator.ts';

/** What cases run on. */
export interface Place {
  baseUrl: string;
  send: Send;
  parties: Parties;
  /** Changes acquirers, people and members as an operator does; a text says why it cannot. */
  operator: Operator | string;
  /** Names that terminals of these acquirers may have. */
  names: Pick<Subject, 'payment_app' | 'acquirer_name'>;
  /** Whether the stage has a console. */
  hasConsole: boolean;
  /** The address of a person whom the stage's issuer signs in without a question. Only the local issuer does. */
  personAtIssuer?: string;
  /** The origin of the docs site whose pages may send requests. */
  siteOrigin?: string;
  /** Passes so many milliseconds. */
  wait: (milliseconds: number) => Promise<void>;
}

/** The expected outcome of a request: a status, and the code of a problem. */
export type Expected = number | [status: number, code: string];

/** A page of the console, as it was received. */
interface Page {
  status: number;
  /** Where it leads, if it is a redirect. */
  location: string;
  /** The cookies that it sets, as a browser sends them back. */
  cookie: string;
  text: string;
  headers: Headers;
  requestId: string | undefined;
}

type Sent = Request & { by?: Party };

const MOST_ATTEMPTS = 8;
/** How long an index, or another process, may lag. */
const LAG_MS = 15_000;
const PAUSE_MS = 150;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Sends the requests of cases, and keeps what they create. */
export class World {
  readonly place: Place;
  /** The MIDs of the branches that this run has created, with the acquirer that did. */
  readonly created = new Map<string, Party>();
  /** The ids of all requests by function, the newest last. */
  readonly requestIds = new Map<FunctionName, string[]>();
  /** Ids and names of this run begin with it. Without digits, it never looks like a card number. */
  readonly tag: string;
  #subjects = 0;

  constructor(place: Place) {
    this.place = place;
    this.tag = [...randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  }

  get provider(): Party {
    return this.place.parties.provider;
  }
  get distributor(): Party {
    return this.place.parties.distributor;
  }

  /** An acquirer that exists only with operator access. || @throws Skipped without it. */
  party(name: 'otherProvider' | 'otherDistributor' | 'limited'): Party {
    const party = this.place.parties[name];
    if (!party) throw new Skipped(`it needs a third acquirer: ${this.place.operator}`);
    return party;
  }

  /** @throws Skipped without operator access. */
  operator(): Operator {
    const { operator } = this.place;
    if (typeof operator === 'string') throw new Skipped(operator);
    return operator;
  }

  /** The ids and names of a small estate that nothing has in use yet. */
  subject({ id, type }: Party = this.provider): Subject {
    this.#subjects += 1;
    const partner = (type === 'PAYMENT_PROVIDER' ? this.distributor : this.provider).id;
    const suffix = `${this.tag}${LETTERS[this.#subjects % 26]}${LETTERS[Math.floor(this.#subjects / 26) % 26]}`;
    const names = { master_merchant_id: `M${this.tag}`, ...this.place.names };
    return { ...subjectOf(suffix, { id, type, partner }), ...names, card: this.card };
  }

  /** The card of the member of this run. */
  get card(): Subject['card'] {
    return { card_id: `verification-card-${this.tag}`, card_pseudo_token: `verification-token-${this.tag}` };
  }

  /** A valid request of an operation; names say what they are from. */
  request(operation: ApiOperation, subject: Subject): Request {
    const request = requestOf(operation, subject);
    return operation === 'createBranch'
      ? {
          ...request,
          body: { ...request.body, branch_name: `Verification ${subject.mid}`, master_merchant_name: 'Verification' },
        }
      : request;
  }

  /** Makes the calls that a request needs beforehand. */
  async prepare(operation: ApiOperation, subject: Subject, by: Party = this.provider): Promise<void> {
    for (const [each, about] of beforehand(operation, subject)) {
      const { status, body } = await this.send(each, { ...this.request(each, about), by });
      if (status >= 300)
        throw new Failure(`${each}, which comes before ${operation}: ${status} ${codeOf(body)}`, {
          operation: each,
          requestId: body?.request_id,
        });
    }
  }

  /** Prepares a valid request and sends it. */
  async valid(operation: ApiOperation, subject: Subject, by: Party = this.provider): Promise<ApiResponse> {
    await this.prepare(operation, subject, by);
    return this.call(
      operation,
      { ...this.request(operation, subject), by },
      operation.startsWith('create') ? 201 : 200,
    );
  }

  /**
   * Sends a request, with the full key of the provider unless it has other credentials.
   *
   * @throws Failure if the response is another one.
   */
  async call(operation: AnyOperation, request: Sent, expected: Expected): Promise<ApiResponse> {
    const response = await this.send(operation, request, expected);
    const { status, headers, body } = response;
    const [wanted, code] = [expected].flat();
    if (status === wanted && (code === undefined || body.code === code)) return response;
    const got = `${status}${status >= 300 ? ` ${codeOf(body)}` : ''}`;
    throw new Failure(`${operation} responded with ${got}, not ${[expected].flat().join(' ')}`, {
      operation,
      requestId: headers['x-request-id'],
    });
  }

  /** Sends a request. It is repeated as long as it exceeds a rate limit, unless that is what is expected. */
  async send(operation: AnyOperation, { by, ...request }: Sent, expected?: Expected): Promise<ApiResponse> {
    const credentials = 'key' in request || request.session ? {} : { key: (by ?? this.provider).keys.full };
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendOnce(operation, { ...request, ...credentials });
      const isLimited = response.status === 429 && [expected].flat()[0] !== 429;
      if (!isLimited || attempt === MOST_ATTEMPTS) return response;
      await this.place.wait(1000 * Number(response.headers['retry-after'] ?? 1));
    }
  }

  async #sendOnce(operation: AnyOperation, request: Request): Promise<ApiResponse> {
    try {
      const response = await this.place.send(operation, request);
      this.note(operation, response.headers['x-request-id']);
      const mid = (request.body as { mid?: string } | undefined)?.mid;
      if (operation === 'createBranch' && response.status === 201 && mid) this.created.set(mid, this.#partyOf(request));
      return response;
    } catch (error) {
      if (!(error instanceof BadResponse)) throw new Failure(`${operation}: ${reasonOf(error)}`, { operation });
      this.note(operation, error.requestId);
      throw new Failure(error.message, { operation, requestId: error.requestId });
    }
  }

  #partyOf({ key }: Request): Party {
    const parties = Object.values(this.place.parties) as Party[];
    return parties.find(({ keys }) => Object.values(keys).includes(key as string)) ?? this.provider;
  }

  /**
   * Opens a page of the console, without following where it leads.
   *
   * @param cookies Cookies to send, as in the header.
   */
  async page(
    operation: 'openConsole' | 'signIn' | 'callback',
    path: string,
    { cookies = '', accept = '*/*' } = {},
  ): Promise<Page> {
    const response = await fetch(new URL(path, this.place.baseUrl), {
      redirect: 'manual',
      headers: { accept, ...(cookies && { cookie: cookies }) },
    }).catch((error) => {
      throw new Failure(`${operation}: ${reasonOf(error)}`, { operation });
    });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    this.note(operation, requestId);
    const cookie = response.headers
      .getSetCookie()
      .map((each) => each.replace(/;.*/, ''))
      .filter((each) => !each.endsWith('='))
      .join('; ');
    const location = response.headers.get('location') ?? '';
    return {
      status: response.status,
      location,
      cookie,
      text: await response.text(),
      headers: response.headers,
      requestId,
    };
  }

  /** Remembers a request, so that its log line can be found. */
  note(operation: FunctionName, requestId: string | undefined): void {
    if (requestId) this.requestIds.set(operation, [...(this.requestIds.get(operation) ?? []), requestId]);
  }

  /** Sends a request again until the response is as expected: what it reads may lag. || @throws Failure if it stays another. */
  async eventually(
    operation: AnyOperation,
    request: Sent,
    what: string,
    isSo: (body: ApiResponse['body']) => boolean,
  ): Promise<ApiResponse> {
    const until = performance.now() + LAG_MS;
    for (;;) {
      const response = await this.call(operation, request, 200);
      if (isSo(response.body)) return response;
      if (performance.now() > until)
        throw new Failure(`${operation} does not show ${what}`, {
          operation,
          requestId: response.headers['x-request-id'],
        });
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
}

/** The code of a problem, or what else a response has. */
const codeOf = (body: ApiResponse['body']): string => body?.code ?? JSON.stringify(body).slice(0, 200);

/** The reason of a failed request, from the innermost cause. */
function reasonOf(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  return cause ? reasonOf(cause) : (code ?? message);
}

/** @throws Failure unless it holds. */
export function expect(holds: boolean, what: string, operation: FunctionName, response?: ApiResponse): asserts holds {
  if (!holds) throw new Failure(`${operation}: ${what}`, { operation, requestId: response?.headers['x-request-id'] });
}
