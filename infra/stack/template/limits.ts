import { QUEUES } from './definitions.ts';

/** The parameters with which a stage limits what it serves. */
type Limits = Record<
  Ceiling | Reservation | 'throttleBurst' | 'accountConcurrency' | 'memberCheckInstances' | 'webhookConcurrency',
  number
>;

type Ceiling = 'throttleRate' | `${'memberCheck' | 'create' | 'unknown' | 'signIn'}Rate`;
type Reservation = `${'memberCheck' | 'create'}Concurrency`;

/** The parameters with the rate of a function's route, and with its concurrency. Ceilings of the table are in table.ts. */
export const CEILINGS: Record<string, { rate: Ceiling; concurrency?: Reservation }> = {
  memberCheck: { rate: 'memberCheckRate', concurrency: 'memberCheckConcurrency' },
  createBranch: { rate: 'createRate', concurrency: 'createConcurrency' },
  createTerminals: { rate: 'createRate', concurrency: 'createConcurrency' },
  unknownRoute: { rate: 'unknownRate' },
  signIn: { rate: 'signInRate' },
  callback: { rate: 'signInRate' },
};

/** The default burst of all APIs of an account in a Region. A route cannot have more. */
export const ACCOUNT_BURST = 5000;

/** The requests a second that one environment of a function serves at most ("Lambda quotas", AWS Lambda Developer Guide). */
const REQUESTS_PER_ENVIRONMENT = 10;

/** Concurrency that Lambda keeps unreserved ("Configuring reserved concurrency", AWS Lambda Developer Guide). */
const LEAST_UNRESERVED = 100;

/**
 * Says which limits contradict each other. What a route lets in must be served: Lambda would throttle the rest, and tills would
 * fail beside a flood (docs/decisions/0020-leased-rate-limits.md).
 */
export function limitFaults(limits: Limits): string[] {
  const faults: string[] = [];
  const { throttleRate, throttleBurst, accountConcurrency, memberCheckInstances, memberCheckConcurrency } = limits;
  const leastBurst = Math.min(throttleRate, ACCOUNT_BURST);
  if (throttleRate === 0 && throttleBurst > 0)
    faults.push('With the parameter throttleRate at 0, which closes the API, throttleBurst must be 0 too.');
  if (throttleBurst < leastBurst)
    faults.push(
      `The parameter throttleBurst must be ${leastBurst} or more, not ${throttleBurst}: throttleRate lets in that many requests a second.`,
    );
  const reservedFor = (own?: Reservation) => (own ? limits[own] : 0);
  const reserved = Object.values(CEILINGS).reduce((sum, { concurrency }) => sum + reservedFor(concurrency), 0);
  const unreserved = accountConcurrency - reserved;
  if (reserved > 0 && unreserved < LEAST_UNRESERVED)
    return [
      ...faults,
      `The parameters reserve a concurrency of ${reserved} of ${accountConcurrency}, but Lambda keeps ${LEAST_UNRESERVED} unreserved. Have the quota raised, then raise accountConcurrency.`,
    ];
  const all: typeof CEILINGS = { ...CEILINGS, 'all other functions': { rate: 'throttleRate' } };
  const deliveries = Object.keys(QUEUES).length * limits.webhookConcurrency;
  for (const [name, { rate, concurrency: own }] of Object.entries(all)) {
    const concurrency = reservedFor(own) || Math.max(0, unreserved - deliveries);
    const served = REQUESTS_PER_ENVIRONMENT * concurrency;
    if (limits[rate] > served)
      faults.push(
        `The parameter ${rate} lets in ${limits[rate]} requests a second, but a concurrency of ${concurrency} serves ${served} (${name}). Lower it, or raise ${own ?? 'accountConcurrency'}.`,
      );
  }
  const most = Math.floor((memberCheckConcurrency || accountConcurrency - LEAST_UNRESERVED) / 2);
  if (memberCheckInstances > Math.max(0, most))
    faults.push(
      `The parameter memberCheckInstances must be ${Math.max(0, most)} or less, not ${memberCheckInstances}: a deployment has two versions of memberCheck, each with its warm processes.`,
    );
  return faults;
}
