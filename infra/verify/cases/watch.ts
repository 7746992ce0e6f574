import type { Metric } from '@aws-sdk/client-cloudwatch';
import { alarms } from '../../template/alarms.ts';
import { readCeilings } from '../../template/ceilings.ts';
import { functionsOf, parameterOf, SERVICE, STAGE_NAME } from '../../template/definitions.ts';
import type { Resource } from '../../template/template.ts';
import type { DeployedAlarm, Watch } from '../aws.ts';
import type { Case } from '../case.ts';
import { Failure } from '../failure.ts';
import { awaited } from '../logs.ts';

/** The names of the alarms that a stage must have. */
export async function alarmNamesOf(stage: string, hasConsole: boolean): Promise<string[]> {
  const parameter = async (name: string) => parameterOf(stage, name);
  const instances = Number(parameterOf(stage, 'memberCheckInstances'));
  const { Resources }: { Resources: Record<string, Pick<Resource, 'Properties'>> } = alarms(
    await readCeilings(parameter),
    functionsOf(hasConsole),
    instances,
  );
  return Object.values(Resources).map(({ Properties: { AlarmName } }) =>
    AlarmName.replace(STAGE_NAME, `${SERVICE}-${stage}`),
  );
}

/** After so long, an alarm has been evaluated. Where data is missing, no alarm of ours stays without a state. */
const EVALUATED_MS = 15 * 60_000;

/** The faults of the alarms of a stage. */
const faultsOf = (wanted: string[], deployed: DeployedAlarm[]): string[] =>
  wanted.flatMap((name) => {
    const alarm = deployed.find((each) => each.name === name);
    if (!alarm) return [`the alarm ${name} does not exist`];
    if (!alarm.notifies) return [`the alarm ${name} notifies nobody: its actions are disabled`];
    const isStuck = alarm.state === 'INSUFFICIENT_DATA' && Date.now() - alarm.stateSince > EVALUATED_MS;
    return isStuck ? [`the alarm ${name} has had no data for 15 minutes`] : [];
  });

/**
 * Metrics that have values after a run, whatever the stage does otherwise: of what a run has called, of what it has
 * provoked, and of the self-check, which runs each minute. All others have values only when something is wrong.
 */
const MUST_ARRIVE: [namespace: RegExp, metric: RegExp][] = [
  [/^AWS\/Lambda$/, /^(Invocations|Errors|Duration)$/],
  [/^AWS\/ApiGateway$/, /^(Count|Latency)$/],
  [/^(?!AWS\/)/, /^(authentication_failures|rate_limited|api_throttles|self_check_failures|self_check_is_enabled)$/],
];

const mustArrive = ({ Namespace = '', MetricName = '' }: Metric): boolean =>
  MUST_ARRIVE.some(([namespace, name]) => namespace.test(Namespace) && name.test(MetricName));

const nameOf = ({ Namespace, MetricName, Dimensions = [] }: Metric): string =>
  [Namespace, MetricName, ...Dimensions.map(({ Name, Value }) => `${Name}=${Value}`)].join(' ');

/** How long a metric may take to arrive. */
const METRIC_LAG_MS = 5 * 60_000;
const METRIC_PAUSE_MS = 15_000;

/**
 * Checks the alarms of a stage and the metrics that they watch.
 *
 * @param since When the run began, in milliseconds since 1970.
 * @param lagMs How long metrics may take to arrive.
 */
export const watchCases = (watch: Watch, wanted: string[], since: number, lagMs = METRIC_LAG_MS): Case[] => [
  {
    name: 'every alarm exists, notifies, and has a state',
    covers: [],
    run: async () => {
      const faults = faultsOf(wanted, await watch.alarms());
      if (faults.length > 0) throw new Failure(faults.join('; '), {});
    },
  },
  {
    name: 'the metrics that alarms watch arrive',
    covers: [],
    run: async () => {
      const all = (await watch.alarms()).flatMap(({ metrics }) => metrics).filter(mustArrive);
      const metrics = [...new Map(all.map((each) => [nameOf(each), each])).values()];
      const missing = async () => {
        const arrived = await watch.haveValues(metrics, since);
        return metrics.filter((_, at) => !arrived[at]).map(nameOf);
      };
      const left = await awaited(missing, (names) => names.length === 0, lagMs, METRIC_PAUSE_MS);
      if (left.length > 0) throw new Failure(`no value of ${left.join(', ')} within 5 minutes`, {});
    },
  },
];
