import { logicalId } from './definitions.ts';

/** The issuer at which people sign in; none in a stage without people. */
export interface SignIn {
  issuer: string;
  clientId: string;
  /** Prefix of the domain of the stage's own user pool, which is then the issuer. */
  cognitoDomainPrefix: string;
  /** Number of the user pool's client. A new number makes a new client, with a new secret. */
  cognitoClient: number;
  /** Whether the user pool is protected from deletion. */
  isProtected: boolean;
}

/** The functions that talk to the issuer. */
const SIGN_IN_FUNCTIONS = ['signIn', 'callback'];

/** An issuer as OpenID Connect Discovery has it: a URL with nothing but a host, perhaps a port, and a path. */
const ISSUER = /^(https:\/\/[^/?#@*\s]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/[^?#\s]*)?$/;

/** Cognito's rules of a prefix. It also rejects the names of AWS's services. */
const PREFIX = /^(?!.*(aws|amazon|cognito))[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads from a stage's parameters where people sign in.
 *
 * @throws Error for values that cannot work.
 */
export async function readSignIn(param: (name: string) => Promise<unknown>): Promise<SignIn> {
  const text = async (name: string) => String(await param(name));
  const issuer = await text('issuer');
  const clientId = await text('clientId');
  const cognitoDomainPrefix = await text('cognitoDomainPrefix');
  const cognitoClient = Number(await param('cognitoClient'));
  if (cognitoDomainPrefix && (issuer || clientId))
    throw new Error(
      'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
    );
  if (cognitoDomainPrefix && !PREFIX.test(cognitoDomainPrefix))
    throw new Error(
      `The parameter cognitoDomainPrefix must have 1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito", not "${cognitoDomainPrefix}".`,
    );
  if (!Number.isInteger(cognitoClient) || cognitoClient < 1)
    throw new Error('The parameter cognitoClient must be a whole number of 1 or more.');
  if (issuer && !(ISSUER.test(issuer) && URL.canParse(issuer)))
    throw new Error(
      `The parameter issuer must be a URL such as https://login.example.com, without query, fragment and credentials, not "${issuer}". Only 127.0.0.1 may use http.`,
    );
  if (issuer && !clientId) throw new Error('The parameter issuer needs a clientId.');
  const isProtected = (await text('protection')) === 'true';
  return { issuer, clientId, cognitoDomainPrefix, cognitoClient, isProtected };
}

/** Whether people can sign in. Otherwise a stage has none of their functions. */
export const hasIssuer = ({ issuer, cognitoDomainPrefix }: SignIn): boolean => Boolean(issuer || cognitoDomainPrefix);

const CALLBACK = '/console/callback';

/** The URL that the issuer sends the browser back to. */
const redirectUrl = (domain: string) =>
  domain ? `https://${domain}${CALLBACK}` : { 'Fn::Sub': `\${HttpApi.ApiEndpoint}${CALLBACK}` };

/**
 * The part of the template for stages with an issuer; empty without one: the secret of the client at the issuer and, if the
 * stage has a user pool, its client there.
 *
 * @param domain The stage's own domain, if it has one.
 */
export function signIn(settings: SignIn, domain: string) {
  if (!hasIssuer(settings)) return {};
  const pool = settings.cognitoDomainPrefix ? poolClient(settings, redirectUrl(domain)) : undefined;
  return {
    Resources: {
      // Empty until an operator stores it, unless Cognito makes it.
      ClientSecret: {
        Type: 'AWS::SecretsManager::Secret',
        Properties: {
          Name: `\${self:custom.tableName}/client-secret`,
          Description: "Secret of the console's client at the issuer. Without it, nobody can sign in.",
          ...(pool && { SecretString: pool.clientSecret }),
        },
      },
      ...pool?.resources,
    },
    Outputs: {
      SignInRedirectUrl: {
        Description: 'Redirect URI of the client at the issuer',
        Value: redirectUrl(domain),
      },
    },
  };
}

const PARAMETER = `/\${self:custom.tableName}/user-pool`;

/** The id of the stage's user pool, which is in the data stack. */
const USER_POOL = `{{resolve:ssm:${PARAMETER}}}`;

/**
 * The part of the data stack with the stage's user pool; empty without one. Administrators create its users, whose addresses
 * are verified; all of them have a second factor.
 */
export function userPool({ cognitoDomainPrefix, isProtected }: SignIn) {
  if (!cognitoDomainPrefix) return {};
  const UserPoolId = { Ref: 'UserPool' };
  return {
    Resources: {
      // People are bound to the pool and its users. A new pool would know none of them, so never change what replaces it.
      UserPool: {
        Type: 'AWS::Cognito::UserPool',
        DeletionPolicy: `\${param:dataRemoval}`,
        UpdateReplacePolicy: 'Retain',
        Properties: {
          UserPoolName: `\${self:custom.tableName}-people`,
          UserPoolTier: 'ESSENTIALS',
          DeletionProtection: isProtected ? 'ACTIVE' : 'INACTIVE',
          UsernameAttributes: ['email'],
          UsernameConfiguration: { CaseSensitive: false },
          AutoVerifiedAttributes: ['email'],
          // Until a changed address is verified, the old one stays in use.
          UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
          AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
          AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
          MfaConfiguration: 'ON',
          EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
          Policies: {
            PasswordPolicy: {
              MinimumLength: 14,
              RequireLowercase: true,
              RequireUppercase: true,
              RequireNumbers: true,
              RequireSymbols: true,
              TemporaryPasswordValidityDays: 7,
            },
          },
        },
      },
      UserPoolDomain: {
        Type: 'AWS::Cognito::UserPoolDomain',
        Properties: { UserPoolId, Domain: cognitoDomainPrefix, ManagedLoginVersion: 2 },
      },
      UserPoolParameter: {
        Type: 'AWS::SSM::Parameter',
        Properties: { Name: PARAMETER, Type: 'String', Value: UserPoolId },
      },
    },
    Outputs: { UserPoolId: { Description: 'User pool of the people', Value: UserPoolId } },
  };
}

/** The client of the stage's user pool, with which people sign in to the console. */
function poolClient({ cognitoClient }: SignIn, redirect: unknown) {
  const client = `UserPoolClient${cognitoClient}`;
  const UserPoolId = USER_POOL;
  const environment = {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Environment: {
        Variables: {
          // The form of a pool's issuer: "Amazon Cognito user pools JSON web tokens", Cognito Developer Guide.
          ISSUER: { 'Fn::Sub': `https://cognito-idp.\${AWS::Region}.amazonaws.com/${USER_POOL}` },
          CLIENT_ID: { Ref: client },
        },
      },
    },
  };
  return {
    clientSecret: { 'Fn::GetAtt': [client, 'ClientSecret'] },
    resources: {
      [client]: {
        Type: 'AWS::Cognito::UserPoolClient',
        Properties: {
          UserPoolId,
          ClientName: `console-${cognitoClient}`,
          GenerateSecret: true,
          AllowedOAuthFlowsUserPoolClient: true,
          AllowedOAuthFlows: ['code'],
          AllowedOAuthScopes: ['openid', 'email', 'profile'],
          CallbackURLs: [redirect],
          SupportedIdentityProviders: ['COGNITO'],
          // Only the pages of Cognito sign people in.
          ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
          PreventUserExistenceErrors: 'ENABLED',
          EnableTokenRevocation: true,
          // The tokens are used once, at the sign-in. These are the shortest that Cognito has.
          AccessTokenValidity: 5,
          IdTokenValidity: 5,
          RefreshTokenValidity: 60,
          TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
        },
      },
      // Without a style, the pages of managed login show only that there is none.
      [`UserPoolStyle${cognitoClient}`]: {
        Type: 'AWS::Cognito::ManagedLoginBranding',
        Properties: { UserPoolId, ClientId: { Ref: client }, UseCognitoProvidedValues: true },
      },
      ...Object.fromEntries(SIGN_IN_FUNCTIONS.map((name) => [logicalId(name, 'LambdaFunction'), environment])),
    },
  };
}
