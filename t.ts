import { writeFileSync } from 'node:fs';
import { OPTIONAL, templateOf } from './test/packaged/packaging.ts';
for (const [f,s,p] of [['a','prod',OPTIONAL],['b','standby',{}],['c','dev',OPTIONAL]] as const) writeFileSync(`/tmp/w/lint-${f}.json`, JSON.stringify(await templateOf(s,p),null,2));
