import { logicalId, routeKeys } from './definitions.ts';
import type { Parameters } from './parameters.ts';

type Ceiling = 'throttleRate' | `${'memberCheck' | 'create' | 'unknown' | 'signIn'}Rate`;
type Reservation = `${'memberCheck' | 'create'}Concurrency`;

/** The parameters with the rate of each of a function's routes, and with its concurrency. Ceilings of the table are in table.ts. */
const CEILINGS: Record<string, { rate: Ceiling; concurrency?: Reservation }> = {
  memberCheck: { rate: 'memberCheckRate', concurrency: 'memberCheckConcurrency' },
  createBranch: { rate: 'createRate', concurrency: 'createConcurrency' },
  createTerminals: { rate: 'createRate', concurrency: 'createConcurrency' },
  unknownRoute: { rate: 'unknownRate' },
  signIn: { rate: 'signInRate' },
  callback: { rate: 'signInRate' },
};

/** The requests a second that one environment of a function serves at most ("Lambda quotas", AWS Lambda Developer Guide). */
const REQUESTS_PER_ENVIRONMENT = 10;

/** Concurrency that Lambda keeps unreserved ("Configuring reserved concurrency", AWS Lambda Developer Guide). */
const LEAST_UNRESERVED = 100;

/**
 * Checks that what a route lets in can be served: Lambda would throttle the rest, and tills would fail beside a flood
 * (docs/decisions/0020-leased-rate-limits.md).
 *
 * @throws Error for a route that lets in more than ten times the concurrency that serves it, or if too little is left unreserved.
 */
function checkConcurrency(limits: Parameters): void {
  const reservedFor = (own?: Reservation) => (own ? limits[own] : 0);
  const reserved = Object.values(CEILINGS).reduce((sum, { concurrency }) => sum + reservedFor(concurrency), 0);
  const unreserved = limits.accountConcurrency - reserved;
  if (reserved > 0 && unreserved < LEAST_UNRESERVED)
    throw new Error(
      `The parameters reserve a concurrency of ${reserved} of ${limits.accountConcurrency}, but Lambda keeps ${LEAST_UNRESERVED} unreserved. Have the quota raised, then raise accountConcurrency.`,
    );
  const all: typeof CEILINGS = { ...CEILINGS, 'all other functions': { rate: 'throttleRate' } };
  for (const [name, { rate, concurrency: own }] of Object.entries(all)) {
    const concurrency = reservedFor(own) || unreserved;
    const served = REQUESTS_PER_ENVIRONMENT * concurrency;
    if (limits[rate] > served)
      throw new Error(
        `The parameter ${rate} lets in ${limits[rate]} requests a second, but a concurrency of ${concurrency} serves ${served} (${name}). Lower it, or raise ${own ?? 'accountConcurrency'}.`,
      );
  }
}

/** The default burst of all APIs of an account in a Region. A route cannot have more. */
const ACCOUNT_BURST = 5000;

/**
 * The part of the template that limits the usage and cost of a stage.
 *
 * A route with its own limits has its own token bucket, which all callers share. API Gateway applies these limits on a
 * best-effort basis ("Throttle requests to your HTTP APIs", API Gateway Developer Guide). All APIs of the account also
 * share its limits in the Region: 10,000 requests a second and a burst of 5,000, unless raised.
 *
 * @throws Error for limits that contradict each other: {@link checkConcurrency}.
 */
export function ceilings(limits: Parameters, stage: string, functions: string[]) {
  checkConcurrency(limits);
  /** The functions of the stage with a ceiling of a kind. */
  const inUse = (kind: 'rate' | 'concurrency') =>
    functions.flatMap((name): [name: string, limit: number][] => {
      const ceiling = CEILINGS[name]?.[kind];
      return ceiling && limits[ceiling] > 0 ? [[name, limits[ceiling]]] : [];
    });
  // Each entry needs both limits, because it replaces the default settings instead of inheriting from them.
  const routeSettings = inUse('rate').flatMap(([name, rate]) =>
    routeKeys(name).map((key) => [
      key,
      { ThrottlingRateLimit: rate, ThrottlingBurstLimit: Math.min(2 * rate, ACCOUNT_BURST) },
    ]),
  );
  const reservations = inUse('concurrency').map(([name, limit]) => [
    logicalId(name, 'LambdaFunction'),
    { Properties: { ReservedConcurrentExecutions: limit } },
  ]);
  return {
    extensions: {
      HttpApiStage: { Properties: { RouteSettings: Object.fromEntries(routeSettings) } },
      ...Object.fromEntries(reservations),
    },
    Resources: limits.monthlyBudget > 0 ? { Budget: budgetOf(limits.monthlyBudget, stage) } : {},
  };
}

/** What a budget notifies of, in percent. */
const NOTIFICATIONS = { ACTUAL: [50, 80, 100], FORECASTED: [100] };

/** A monthly budget in US dollars for all resources with the stage's tag. */
const budgetOf = (Amount: number, stage: string) => ({
  Type: 'AWS::Budgets::Budget',
  // On creation, AWS Budgets checks that it may publish to the topic.
  DependsOn: 'NoticeTopicPolicy',
  Properties: {
    // No BudgetName: changed notifications replace the budget, and a fixed name would make that fail.
    Budget: {
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount, Unit: 'USD' },
      // A single tag, because AWS does not document whether a cost must match all tags of the list or any.
      CostFilters: { TagKeyValue: [`user:stage$${stage}`] },
    },
    NotificationsWithSubscribers: Object.entries(NOTIFICATIONS).flatMap(([NotificationType, thresholds]) =>
      thresholds.map((Threshold) => ({
        Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
        Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: 'NoticeTopic' } }],
      })),
    ),
  },
});
