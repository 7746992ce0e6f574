import type { Parameters } from './parameters.ts';

/** The public base URL of a stage, if it is known before the deployment. */
export const knownBaseUrl = ({ baseUrl, domain }: Parameters): string => baseUrl || (domain && `https://${domain}`);

/** The public base URL of a stage: its own, that of its domain, or the one that API Gateway generates. */
export const baseUrl = (parameters: Parameters) =>
  knownBaseUrl(parameters) || { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] };
