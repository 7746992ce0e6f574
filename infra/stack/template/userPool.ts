import { knownBaseUrl } from './baseUrl.ts';
import { logicalId, routeKeys, STAGE_NAME } from './definitions.ts';
import { sub } from './iam.ts';
import { hasIssuer, type Parameters } from './parameters.ts';

/** The functions that talk to the issuer. */
const SIGN_IN_FUNCTIONS = ['signIn', 'callback'];

const CALLBACK = '/console/callback';

/** The URL that the issuer sends the browser back to. */
function redirectUrl(parameters: Parameters) {
  const known = knownBaseUrl(parameters);
  return known ? known + CALLBACK : sub(`\${HttpApi.ApiEndpoint}${CALLBACK}`);
}

/** What API Gateway throttled of sign-ins, as the filters of infra/stack/api.yml count other requests. */
const THROTTLED_SIGN_INS = {
  Type: 'AWS::Logs::MetricFilter',
  Properties: {
    LogGroupName: { Ref: 'HttpApiLogGroup' },
    FilterPattern:
      '{ $.status = "429" && $.lambda_request_id != "*-*-*-*-*" && ' +
      `(${SIGN_IN_FUNCTIONS.flatMap(routeKeys)
        .map((key) => `$.route = "${key}"`)
        .join(' || ')}) }`,
    MetricTransformations: [
      {
        MetricNamespace: STAGE_NAME,
        MetricName: 'sign_in_throttles',
        MetricValue: '1',
        DefaultValue: 0,
        Unit: 'Count',
      },
    ],
  },
};

/**
 * The part of the template for stages with an issuer; empty without one: the secret of the client at the issuer, the metric of
 * throttled sign-ins and, if the stage has a user pool, its client there.
 */
export function signIn(parameters: Parameters) {
  if (!hasIssuer(parameters)) return {};
  const redirect = redirectUrl(parameters);
  const pool = parameters.cognitoDomainPrefix ? poolClient(parameters, redirect) : undefined;
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
      ThrottledSignIns: THROTTLED_SIGN_INS,
      ...pool?.resources,
    },
    Outputs: { SignInRedirectUrl: { Description: 'Redirect URI of the client at the issuer', Value: redirect } },
  };
}

/** The id of the stage's user pool, which is in the data stack (infra/stack/data/userPool.yml). */
const USER_POOL = `{{resolve:ssm:/\${self:custom.tableName}/user-pool}}`;

/** The client of the stage's user pool, with which people sign in to the console. */
function poolClient({ cognitoClient }: Parameters, redirect: unknown) {
  const client = `UserPoolClient${cognitoClient}`;
  const environment = {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Environment: {
        Variables: {
          // The form of a pool's issuer: "Amazon Cognito user pools JSON web tokens", Cognito Developer Guide.
          ISSUER: sub(`https://cognito-idp.\${AWS::Region}.amazonaws.com/${USER_POOL}`),
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
          UserPoolId: USER_POOL,
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
        Properties: { UserPoolId: USER_POOL, ClientId: { Ref: client }, UseCognitoProvidedValues: true },
      },
      ...Object.fromEntries(SIGN_IN_FUNCTIONS.map((name) => [logicalId(name, 'LambdaFunction'), environment])),
    },
  };
}
