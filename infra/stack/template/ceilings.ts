import { logicalId, routeKey } from './definitions.ts';
import type { Parameters } from './parameters.ts';

type Ceiling = keyof { [Name in keyof Parameters as Parameters[Name] extends number ? Name : never]: true };

/** The ceilings of routes and of concurrency, by function. Those of the table are in table.ts. */
const RATES: [string, Ceiling][] = [
  ['memberCheck', 'memberCheckRate'],
  ['createBranch', 'createRate'],
  ['createTerminals', 'createRate'],
  ['unknownRoute', 'unknownRate'],
  ['signIn', 'signInRate'],
  ['callback', 'signInRate'],
];
const CONCURRENCY: [string, Ceiling][] = [
  ['memberCheck', 'memberCheckConcurrency'],
  ['createBranch', 'createConcurrency'],
  ['createTerminals', 'createConcurrency'],
];

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
  const reserved = CONCURRENCY.reduce((sum, [, ceiling]) => sum + limits[ceiling], 0);
  const unreserved = limits.accountConcurrency - reserved;
  if (reserved > 0 && unreserved < LEAST_UNRESERVED)
    throw new Error(
      `The parameters reserve a concurrency of ${reserved} of ${limits.accountConcurrency}, but Lambda keeps ${LEAST_UNRESERVED} unreserved. Have the quota raised, then raise accountConcurrency.`,
    );
  for (const [name, rate] of [...RATES, ['all other functions', 'throttleRate'] as const]) {
    const own = CONCURRENCY.find(([each]) => each === name)?.[1];
    const concurrency = (own && limits[own]) || unreserved;
    if (limits[rate] > REQUESTS_PER_ENVIRONMENT * concurrency)
      throw new Error(
        `The parameter ${rate} lets in ${limits[rate]} requests a second, but a concurrency of ${concurrency} serves ${REQUESTS_PER_ENVIRONMENT * concurrency} (${name}). Lower it, or raise ${own ?? 'accountConcurrency'}.`,
      );
  }
}

/** The thresholds of the budget's notifications, in percent. */
const NOTIFICATIONS: ['ACTUAL' | 'FORECASTED', number][] = [
  ['ACTUAL', 50],
  ['ACTUAL', 80],
  ['ACTUAL', 100],
  ['FORECASTED', 100],
];

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
  const inUse = (ceilings: [string, Ceiling][]): [string, number][] =>
    ceilings.map(([name, ceiling]): [string, number] => [name, limits[ceiling]]).filter(([, limit]) => limit > 0);
  const ofFunctions = (ceilings: [string, Ceiling][]) => inUse(ceilings.filter(([name]) => functions.includes(name)));
  return {
    extensions: {
      HttpApiStage: {
        Properties: {
          // Each entry needs both limits, because it replaces the default settings instead of inheriting from them.
          RouteSettings: Object.fromEntries(
            ofFunctions(RATES).map(([name, rate]) => [
              routeKey(name),
              { ThrottlingRateLimit: rate, ThrottlingBurstLimit: Math.min(2 * rate, ACCOUNT_BURST) },
            ]),
          ),
        },
      },
      ...Object.fromEntries(
        ofFunctions(CONCURRENCY).map(([name, limit]) => [
          logicalId(name, 'LambdaFunction'),
          { Properties: { ReservedConcurrentExecutions: limit } },
        ]),
      ),
    },
    Resources: limits.monthlyBudget > 0 ? { Budget: budgetOf(limits.monthlyBudget, stage) } : {},
  };
}

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
    NotificationsWithSubscribers: NOTIFICATIONS.map(([NotificationType, Threshold]) => ({
      Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
      Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: 'NoticeTopic' } }],
    })),
  },
});
