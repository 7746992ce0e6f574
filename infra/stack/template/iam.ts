/** Text in which CloudFormation replaces what stands in `${…}`. */
export const sub = (text: string) => ({ 'Fn::Sub': text });

/** The ARN of a resource in the account and the Region of a stack, for {@link sub}. */
export const arn = (service: string, resource: string, region = `\${AWS::Region}`): string =>
  `arn:\${AWS::Partition}:${service}:${region}:\${AWS::AccountId}:${resource}`;

/** The ARN of a resource that is in no Region. */
export const globalArn = (service: string, resource: string): string => arn(service, resource, '');

export const policy = (...Statement: object[]) => ({ Version: '2012-10-17' as const, Statement });

/** Lets one service of AWS assume a role, and nobody else. */
export const assumedBy = (service: string) =>
  policy({ Effect: 'Allow', Principal: { Service: `${service}.amazonaws.com` }, Action: 'sts:AssumeRole' });
