import { nameOf } from './definitions.ts';
import { hasIssuer, type Parameters } from './parameters.ts';
import { KEPT } from './template.ts';

/** What a secret that AWS generates is made of. Changing it would make CloudFormation generate another key in its place. */
const GENERATED = { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } };

/** A secret of the data stack. Its policies keep it as they keep the table. */
const secret = (name: string, Description: string, more: object = {}) => ({
  Type: 'AWS::SecretsManager::Secret',
  ...KEPT,
  Properties: { Name: `\${self:custom.tableName}/${name}`, Description, ...more },
});

/**
 * The part of the data stack with the secrets of a stage: the HMAC key of card identifiers, unless the stage uses that of
 * another; the API key of the self-check, which is empty until `npm run operator -- self-check enable` issues one; and, where
 * people can sign in, the key that seals the cookies of sign-ins that have begun. Nobody sees a key that AWS generates;
 * `npm run operator -- cards rotate-key` appends further card keys, one per line.
 */
export const secrets = (parameters: Parameters, stage: string) => ({
  Resources: {
    ...(parameters.cardHmacKeySecret === `${nameOf(stage)}/card-hmac-key` && {
      CardHmacKey: secret('card-hmac-key', 'Card HMAC key. Without it, no stored card is found again.', GENERATED),
    }),
    SelfCheckKey: secret('self-check-key', "API key of the self-check. It cannot access partners' data."),
    ...(hasIssuer(parameters) && {
      SealingKey: secret('sealing-key', 'Seals the cookies of sign-ins that have begun.', GENERATED),
    }),
  },
});
