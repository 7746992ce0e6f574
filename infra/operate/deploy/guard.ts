import { checkAccount, checkHasAccount, checkRegion } from './destination.ts';

/** The part of the serverless API that this plugin uses. */
interface Serverless {
  classes: { Error: new (message: string) => Error };
  processedInput: { commands: string[]; options: { region?: string } };
  service: { custom: { account: unknown; region: unknown } };
  getProvider(name: 'aws'): { getStage(): string; getAccountId(): Promise<string> };
}

/** Commands that send nothing to AWS. Of any other command, the account is checked. */
const LOCAL = ['package', 'print', 'plugin'];

/**
 * A serverless plugin that refuses every command that would reach another account or Region than the stage's, before
 * anything else is sent. What it sends itself is `GetCallerIdentity`, which every identity may call.
 */
export default class Guard {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor(serverless: Serverless) {
    const { classes, processedInput, service } = serverless;
    const guard = async () => {
      const aws = serverless.getProvider('aws');
      const destination = { stage: aws.getStage(), ...service.custom };
      checkRegion(destination, { '--region': processedInput.options.region });
      if (LOCAL.includes(processedInput.commands[0] ?? '')) return;
      const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
      checkRegion(destination, { AWS_REGION, AWS_DEFAULT_REGION });
      checkHasAccount(destination);
      checkAccount(destination, await aws.getAccountId());
    };
    this.hooks = {
      // Runs before the hooks of every command.
      initialize: () =>
        guard().catch((error: Error) => {
          // The framework prints the stack of any other error.
          throw new classes.Error(error.message);
        }),
    };
  }
}
