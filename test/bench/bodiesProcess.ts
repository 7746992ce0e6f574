/*
 * One instance of a function, whose bundle is the argument. Handles each event that it is sent as JSON text, as Lambda would
 * pass it on, and reports its measurements.
 */

/** The measurements of a request. */
export interface Took {
  status: number;
  /** CPU milliseconds. */
  cpu: number;
  /** Peak memory of the process so far. */
  megabytes: number;
}

const cpuMilliseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const { handler } = await import(process.argv[2] as string);
process.on('message', async (event: string) => {
  const before = cpuMilliseconds();
  const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 20_000 };
  const { statusCode: status } = await handler(JSON.parse(event), context);
  const cpu = cpuMilliseconds() - before;
  process.send?.({ status, cpu, megabytes: process.resourceUsage().maxRSS / 1024 } satisfies Took);
});
