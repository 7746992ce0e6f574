import { text } from 'node:stream/consumers';

/*
 * One instance of a function, as Lambda would start it: loads a bundle, handles the events that it reads one after
 * another, and reports its measurements.
 */

const cpuMilliseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const events = JSON.parse(await text(process.stdin));
const before = cpuMilliseconds();
const importing = performance.now();
const { handler } = await import(process.argv[2] as string);
const responses: { statusCode: number }[] = [];
const cpu: number[] = [];
const started = performance.now();
let firstResponse: number | undefined;
for (const event of events) {
  const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 20_000 };
  responses.push(await handler(event, context));
  firstResponse ??= performance.now();
  cpu.push(cpuMilliseconds());
}
const [first = 0, ...others] = cpu;
const warm = ((others.at(-1) ?? first) - first) / others.length;
const seconds = (performance.now() - started) / 1000;
const statuses = [...new Set(responses.map(({ statusCode }) => statusCode))];
const megabytes = process.resourceUsage().maxRSS / 1024;
// Standard output is the function's log.
process.stderr.write(
  JSON.stringify({
    statuses,
    imported: started - importing,
    firstCall: (firstResponse ?? started) - started,
    coldCpu: first - before,
    warmCpu: warm,
    megabytes,
    seconds,
  }),
);
