import { INDEX_DEFINITIONS, logicalId, routeKey } from './definitions.ts';

/** Parameters that bound what a stage may use or cost. serverless.yml has their units; 0 turns one off. */
export const CEILINGS = [
  'memberCheckRate',
  'createRate',
  'unknownRate',
  'memberCheckConcurrency',
  'createConcurrency',
  'maxReadUnits',
  'maxWriteUnits',
  'monthlyBudget',
] as const;
type Ceiling = (typeof CEILINGS)[number];
export type Ceilings = Record<Ceiling, number>;

/**
 * Reads a stage's ceilings from its parameters, which are texts if they come from the command line.
 *
 * @throws Error for a ceiling that is not a whole number of 0 or more, which would otherwise be off unnoticed.
 */
export async function readCeilings(param: (name: string) => Promise<unknown>): Promise<Ceilings> {
  const limits = {} as Ceilings;
  for (const name of CEILINGS) {
    limits[name] = Number(await param(name));
    if (!Number.isInteger(limits[name]) || limits[name] < 0)
      throw new Error(`The parameter ${name} must be a whole number of 0 or more.`);
  }
  return limits;
}

/** The ceiling of each function's route, and of how many instances of it run at once. */
const RATES: [string, Ceiling][] = [
  ['memberCheck', 'memberCheckRate'],
  ['createBranch', 'createRate'],
  ['createTerminals', 'createRate'],
  ['unknownRoute', 'unknownRate'],
];
const CONCURRENCY: [string, Ceiling][] = [
  ['memberCheck', 'memberCheckConcurrency'],
  ['createBranch', 'createConcurrency'],
  ['createTerminals', 'createConcurrency'],
];
const UNITS: [string, Ceiling][] = [
  ['MaxReadRequestUnits', 'maxReadUnits'],
  ['MaxWriteRequestUnits', 'maxWriteUnits'],
];

/** When the budget notifies, in percent of its amount. */
const NOTIFICATIONS: ['ACTUAL' | 'FORECASTED', number][] = [
  ['ACTUAL', 50],
  ['ACTUAL', 80],
  ['ACTUAL', 100],
  ['FORECASTED', 100],
];

/**
 * What bounds the resources and costs of a stage, by its name.
 *
 * The gateway's limits isolate routes: a route with limits of its own has its own token bucket. They do not isolate
 * callers, who share the route's bucket, and they are best-effort targets, not guaranteed ceilings ("Throttle requests
 * to your HTTP APIs", API Gateway Developer Guide). All APIs of the account also share its limits in the region: 10,000
 * requests a second and a burst of 5,000, unless raised.
 */
export function ceilings(limits: Ceilings, stage: string) {
  const inUse = (ceilings: [string, Ceiling][]): [string, number][] =>
    ceilings.map(([name, ceiling]): [string, number] => [name, limits[ceiling]]).filter(([, limit]) => limit > 0);
  const OnDemandThroughput = Object.fromEntries(inUse(UNITS));
  return {
    extensions: {
      HttpApiStage: {
        Properties: {
          // Both limits in each entry: an entry replaces the default settings, and does not inherit from them.
          RouteSettings: Object.fromEntries(
            inUse(RATES).map(([name, rate]) => [
              routeKey(name),
              { ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate },
            ]),
          ),
        },
      },
      ...Object.fromEntries(
        inUse(CONCURRENCY).map(([name, limit]) => [
          logicalId(name, 'LambdaFunction'),
          { Properties: { ReservedConcurrentExecutions: limit } },
        ]),
      ),
      // Here and not in table.yml, which is also what tables are created from locally.
      ...(inUse(UNITS).length > 0 && {
        Table: {
          Properties: {
            OnDemandThroughput,
            GlobalSecondaryIndexes: INDEX_DEFINITIONS.map((index) => ({ ...index, OnDemandThroughput })),
          },
        },
      }),
    },
    Resources: limits.monthlyBudget > 0 ? { Budget: budgetOf(limits.monthlyBudget, stage) } : {},
  };
}

/** A budget of so many US dollars a month for what has the stage's tag. */
const budgetOf = (Amount: number, stage: string) => ({
  Type: 'AWS::Budgets::Budget',
  // Budgets checks that it may publish when it is created.
  DependsOn: 'NoticeTopicPolicy',
  Properties: {
    // Without a name of its own: a change of the notifications replaces the budget, which a fixed name would prevent.
    Budget: {
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount, Unit: 'USD' },
      // One tag only: AWS does not document whether a cost has to match all tags of this list or any.
      CostFilters: { TagKeyValue: [`user:stage$${stage}`] },
    },
    NotificationsWithSubscribers: NOTIFICATIONS.map(([NotificationType, Threshold]) => ({
      Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
      Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: 'NoticeTopic' } }],
    })),
  },
});
