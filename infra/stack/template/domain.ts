import type { Parameters } from './parameters.ts';

/** The public base URL of a stage, if it is known before the deployment. */
export const knownBaseUrl = ({ baseUrl, domain }: Parameters): string => baseUrl || (domain && `https://${domain}`);

/** The public base URL of a stage: its own, that of its domain, or the one that API Gateway generates. */
export const baseUrl = (parameters: Parameters) =>
  knownBaseUrl(parameters) || { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] };

/**
 * The part of the template for a stage with its own domain; empty without one. Disables the API's generated endpoint,
 * which would bypass what protects the domain (docs/decisions/0020-leased-rate-limits.md).
 */
export function domain({ domain: name, certificate }: Parameters) {
  if (!name) return {};
  return {
    extensions: { HttpApi: { Properties: { DisableExecuteApiEndpoint: true } } },
    Resources: {
      Domain: {
        Type: 'AWS::ApiGatewayV2::DomainName',
        Properties: {
          DomainName: name,
          DomainNameConfigurations: [
            { CertificateArn: certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
          ],
        },
      },
      DomainMapping: {
        Type: 'AWS::ApiGatewayV2::ApiMapping',
        Properties: { ApiId: { Ref: 'HttpApi' }, DomainName: { Ref: 'Domain' }, Stage: { Ref: 'HttpApiStage' } },
      },
    },
    Outputs: {
      DomainTarget: {
        Description: "Target of the domain's DNS alias record",
        Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] },
      },
    },
  };
}
