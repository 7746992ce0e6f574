import { basename } from 'node:path';

/*
 * One instance of a function, as Lambda would start it: imports the bundle that is its argument, then handles each
 * event that it is sent as JSON, and reports its measurements.
 */

/** The measurements of a request, or of the import. */
export interface Took {
  /** 0 for the import. */
  status: number;
  /** Header of the response, if it has it. */
  retryAfter?: string | undefined;
  /** Peak memory of the process so far. */
  megabytes: number;
}

async function measured(work: () => Promise<Pick<Took, 'status' | 'retryAfter'>>): Promise<void> {
  const outcome = await work();
  const megabytes = process.resourceUsage().maxRSS / 1024;
  process.send?.({ ...outcome, megabytes } satisfies Took);
}

const file = process.argv[2] as string;
let handler: (event: unknown, context: object) => Promise<{ statusCode: number; headers?: Record<string, string> }>;
process.on('message', (event: string) =>
  measured(async () => {
    const functionName = basename(file, '.mjs');
    const context = { awsRequestId: 'instance', functionName, getRemainingTimeInMillis: () => 20_000 };
    const { statusCode, headers } = await handler(JSON.parse(event), context);
    return { status: statusCode, retryAfter: headers?.['retry-after'] };
  }),
);
await measured(async () => {
  ({ handler } = await import(file));
  return { status: 0 };
});
