import { logicalId, routeKeys } from './definitions.ts';
import { ACCOUNT_BURST, CEILINGS } from './limits.ts';
import type { Parameters } from './parameters.ts';

/**
 * The part of the template that limits the usage and cost of a stage.
 *
 * A route with its own limits has its own token bucket, which all callers share. API Gateway applies these limits on a
 * best-effort basis ("Throttle requests to your HTTP APIs", API Gateway Developer Guide). All APIs of the account also
 * share its limits in the Region: 10,000 requests a second and a burst of 5,000, unless raised.
 */
export function ceilings(limits: Parameters, stage: string, functions: string[]) {
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
