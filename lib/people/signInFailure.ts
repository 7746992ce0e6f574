import { Problem, type ProblemCode } from '../base/problem.ts';

/** The person, or the issuer's policy, refused. */
const REFUSALS = ['access_denied', 'consent_required', 'interaction_required', 'login_required'];

/** Reasons for which nobody can sign in: the issuer's or its configuration. */
const OUTAGES = [
  ...['invalid_client', 'server_error', 'temporarily_unavailable', 'unauthorized_client'],
  ...['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'],
];

/** Further error codes (RFC 6749, OpenID Connect Core 1.0) that are logged as they are. */
const OTHERS = [
  ...['account_selection_required', 'invalid_grant', 'invalid_request', 'invalid_scope'],
  ...['unsupported_grant_type', 'unsupported_response_type'],
];

/** How a token endpoint rejects the client's secret: in the body, or with a challenge (RFC 6749 §5.2). */
const REJECTED_SECRETS = ['invalid_client', 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'];

/** Why a sign-in failed. It can be logged: it quotes no token, code or address, as the errors of openid-client do. */
export class IssuerFailure extends Error {
  override name = 'IssuerFailure';
  /** A stable code, such as `invalid_grant` or `OAUTH_JWT_CLAIM_COMPARISON_FAILED nonce`. */
  readonly reason: string;
  /** Whether the issuer did not respond, or responds so that nobody can sign in. */
  readonly isOutage: boolean;
  readonly isTimeout: boolean;

  constructor(reason: string, { isOutage = false, isTimeout = false } = {}) {
    super(reason);
    this.reason = reason;
    this.isOutage = isOutage;
    this.isTimeout = isTimeout;
  }

  get isRejectedSecret(): boolean {
    return REJECTED_SECRETS.includes(this.reason);
  }

  get isRefusal(): boolean {
    return REFUSALS.includes(this.reason);
  }
}

/** Whether a sign-in may have been completed before: it comes too late, or the issuer does not accept its code. */
export const mayBeCompleted = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'sign_in_expired' || failureOf(error.cause).reason === 'invalid_grant');

/** What the errors of openid-client and oauth4webapi may have. */
type OidcError = { [K in 'name' | 'code' | 'error' | 'claim' | 'cause']?: unknown };

const isCode = (value: unknown): value is string => typeof value === 'string' && /^[A-Z0-9_]{1,60}$/.test(value);

function chainOf(error: unknown): OidcError[] {
  const chain: OidcError[] = [];
  let next = error as OidcError | null | undefined;
  for (; typeof next === 'object' && next && chain.length < 5; next = next.cause as OidcError) chain.push(next);
  return chain;
}

/** Reduces an error of openid-client to a failure that quotes nothing. */
export function failureOf(error: unknown): IssuerFailure {
  const chain = chainOf(error);
  const known = chain.find((each) => each instanceof IssuerFailure);
  if (known) return known as IssuerFailure;
  const response = chain.find(({ error: code }) => typeof code === 'string')?.error as string | undefined;
  if (response !== undefined) {
    const reason = [...REFUSALS, ...OUTAGES, ...OTHERS].includes(response) ? response : 'unknown_error';
    return new IssuerFailure(reason, { isOutage: OUTAGES.includes(reason) });
  }
  const code = chain.map((each) => each.code).find(isCode) ?? 'UNKNOWN';
  const claim = chain.map((each) => each.claim).find((each) => typeof each === 'string' && /^[a-z_]{1,20}$/.test(each));
  return new IssuerFailure(claim === undefined ? code : `${code} ${claim}`, { isOutage: OUTAGES.includes(code) });
}

const LONGEST = 1_000_000;

/**
 * Requests something from the issuer and reads the response. Each request has its own connection: one that was open
 * while Lambda froze the process may be dead.
 *
 * @throws IssuerFailure `isOutage` if there is no response, or a 5xx or 429.
 */
export async function fetchFromIssuer(url: string, options: object): Promise<Response> {
  const request = options as RequestInit & { headers: Record<string, string> };
  let response: Response;
  let body: ArrayBuffer;
  try {
    response = await fetch(url, { ...request, headers: { ...request.headers, connection: 'close' } });
    body = await response.arrayBuffer();
  } catch (error) {
    const chain = chainOf(error);
    const isTimeout = chain.some(({ name }) => name === 'TimeoutError');
    const reason = isTimeout ? 'TIMEOUT' : (chain.map(({ code }) => code).find(isCode) ?? 'NO_RESPONSE');
    throw new IssuerFailure(reason, { isOutage: true, isTimeout });
  }
  const { status, headers } = response;
  if (status >= 500 || status === 429) throw new IssuerFailure(`HTTP_${status}`, { isOutage: true });
  if (body.byteLength > LONGEST) throw new IssuerFailure('RESPONSE_TOO_LARGE', { isOutage: true });
  return new Response(body.byteLength > 0 ? body : null, { status, headers });
}

/**
 * What the metric `failed_sign_ins` counts: sign-ins that were refused at their end. Not one that was canceled or that
 * expired: anyone can cause that without a sign-in.
 */
export const FAILED_SIGN_INS: readonly (ProblemCode | undefined)[] = [
  'sign_in_failed',
  'not_invited',
  'invitation_invalid',
  'email_not_verified',
  'email_differs',
];
