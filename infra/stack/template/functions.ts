import { FUNCTIONS, LIVE, logicalId } from './definitions.ts';

/** The functions of a stage as serverless takes them: each has a role of its own, and a gradual one is invoked by its alias. */
export const functions = (names: string[]) =>
  Object.fromEntries(
    names.map((name) => {
      const { access: _, gradual, ...definition } = FUNCTIONS[name] ?? {};
      const role = logicalId(name, 'Role');
      const targetAlias = { name: LIVE, logicalId: logicalId(name, 'LiveAlias') };
      return [name, { ...definition, role, ...(gradual && { targetAlias }) }];
    }),
  );
