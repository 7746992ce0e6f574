import { MEMORY } from '../../infra/stack/template/definitions.ts';

/**
 * Published prices in US dollars of US East (N. Virginia), on demand, without free tiers, as of November 2025; other
 * regions differ by up to a quarter. https://aws.amazon.com/ … /lambda/pricing, /api-gateway/pricing, /dynamodb/pricing,
 * /cloudwatch/pricing
 */
const PRICES = {
  /** Per million. */
  httpApiRequest: 1,
  lambdaRequest: 0.2,
  readUnit: 0.125,
  writeUnit: 0.625,
  /** Per GB-second, arm64. */
  lambdaGigabyteSecond: 0.0000133334,
  /** Per GB of ingested logs. */
  logs: 0.5,
};

/** Megabytes of memory for which Lambda allots one whole arm64 processor (AWS Lambda, "Memory"). */
const MEGABYTES_PER_CPU = 1769;
/** Latency of DynamoDB from Lambda in the same region, by the rule of thumb "single-digit milliseconds". */
export const TABLE_MILLISECONDS = 5;
/**
 * Bytes logged per routine request: our line (about 320; 450 at most, test/lib/http/log.test.ts),
 * the access log's (about 300), and 26 for each, which CloudWatch adds.
 */
const LOG_BYTES = 700;

/** Milliseconds of a warm request that takes `cpu` milliseconds on a whole processor. */
export const duration = (megabytes: number, cpu: number, inSequence: number): number =>
  cpu / Math.min(megabytes / MEGABYTES_PER_CPU, 1) + inSequence * TABLE_MILLISECONDS;

/** The price that Lambda charges for a million requests of this duration, in US dollars. */
export const lambdaCost = (megabytes: number, milliseconds: number): number =>
  PRICES.lambdaRequest + megabytes * (1e6 / 1024) * (milliseconds / 1000) * PRICES.lambdaGigabyteSecond;

/** Total CPU milliseconds of a call: `npm run bench memory`. */
export const TYPICAL_CPU = 3;

/** The price of a million warm requests on AWS, in US dollars, except storage and traffic out of AWS. */
export const costPerMillion = (inSequence: number, readUnits: number, writeUnits: number): number =>
  PRICES.httpApiRequest +
  lambdaCost(MEMORY, duration(MEMORY, TYPICAL_CPU, inSequence)) +
  readUnits * PRICES.readUnit +
  writeUnits * PRICES.writeUnit +
  ((LOG_BYTES * 1e6) / 1e9) * PRICES.logs;
