import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A serverless plugin in place of what bundles the functions, because a template does not depend on their code. */
export default class EmptyZips {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor({ service, serviceDir }: { service: { functions: Record<string, object> }; serviceDir: string }) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': async () => {
        const artifact = join(serviceDir, 'empty.zip');
        writeFileSync(artifact, '');
        for (const definition of Object.values(service.functions)) Object.assign(definition, { package: { artifact } });
      },
    };
  }
}
