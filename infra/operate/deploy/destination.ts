/** The only place that a stage is deployed to: its row in infra/stack/stages.yml. */
export interface Destination {
  stage: string;
  /** Twelve digits; empty or missing if the row has none. */
  account?: unknown;
  region?: unknown;
}

const ROW = 'in its row in infra/stack/stages.yml';

/**
 * Checks that nothing names another Region than the stage's.
 *
 * @param named Regions that were asked for, by what asked for them, such as `--region`.
 * @throws Error for another one, or if the stage has none.
 */
export function checkRegion({ stage, region }: Destination, named: Record<string, string | undefined>): void {
  if (!region) throw new Error(`Stage ${stage} has no Region. Add "region" ${ROW}.`);
  for (const [name, value] of Object.entries(named))
    if (value && value !== region)
      throw new Error(
        `Stage ${stage} is in ${region} ("region" ${ROW}), but ${name} is ${value}. Nothing was changed.`,
      );
}

/**
 * Checks that a stage names its account.
 *
 * @throws Error with the line to add.
 */
export function checkHasAccount({ stage, account }: Destination): void {
  if (typeof account !== 'string' || !/^\d{12}$/.test(account))
    throw new Error(
      `Stage ${stage} has no account. Add "account: '123456789012'," ${ROW}, with your twelve digits in quotes (aws sts get-caller-identity). Nothing was changed.`,
    );
}

/**
 * Checks that the credentials in use are of the stage's account.
 *
 * @throws Error if they are of another one.
 */
export function checkAccount({ stage, account }: Destination, actual: string | undefined): void {
  if (actual !== account)
    throw new Error(
      `Stage ${stage} is in the account ${account} ("account" ${ROW}), but these credentials are of ${actual}. Nothing was changed.`,
    );
}
