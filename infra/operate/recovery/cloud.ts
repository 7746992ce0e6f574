/** Limits of the API's routes, as API Gateway and CloudFormation have them. */
export interface Limits {
  DefaultRouteSettings: RouteLimit & { DetailedMetricsEnabled?: boolean };
  RouteSettings: Record<string, RouteLimit>;
}

interface RouteLimit {
  ThrottlingRateLimit: number;
  ThrottlingBurstLimit: number;
}

/** What a new table is made of: a table at a point in time, or a recovery point of AWS Backup. */
export type Source = { from: string; at: Date } | { recoveryPoint: string; roleArn: string };

/** What a recovery does to a stage. Each call can be repeated. */
export interface Cloud {
  /** Whether API Gateway answers every request with 429. */
  isClosed(): Promise<boolean>;
  close(): Promise<void>;
  open(limits: Limits): Promise<void>;
  /** Turns the actions of the alarms that stopped traffic fires on or off. All others go on to notify. */
  setAlarmActions(isOn: boolean): Promise<void>;
  /** `undefined` if there is no such table. */
  table(name: string): Promise<{ isActive: boolean } | undefined>;
  /** Starts to restore. The table is there from then on, and active later. */
  restore(source: Source, into: string): Promise<void>;
  /** Gives a table the settings of the stage. Returns what it has changed. */
  configure(table: string): Promise<string[]>;
  tableInUse(): Promise<string>;
  /** The status and problem code of a request without an API key. */
  response(): Promise<string>;
}
