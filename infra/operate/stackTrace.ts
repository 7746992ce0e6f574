import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/*
 * `npm run stack-trace -- artifact/prod < lines.json` prints log lines, or a stack, with the files and lines of the source.
 */

/** A place in a bundle, such as `file:///var/task/functions/branches/createBranch.mjs:1:48213`. */
const PLACE = /[^\s("]*\/(functions\/[\w/]+\.mjs):(\d+):(\d+)/g;

/**
 * Returns a text with the places in bundles replaced by those in the source, such as `lib/branches/createBranch.ts:41:9`.
 *
 * @param packaged The folder of the package that the stage runs.
 * @throws Error if the text has no place in a bundle, or the package no map of it.
 */
export function inSource(logged: string, packaged: string): string {
  // In a line of the log, which is JSON, a stack is one text.
  const lines = logged.replaceAll('\\n', '\n');
  if (lines.search(PLACE) === -1) throw new Error('There is no place in a bundle, such as "createBranch.mjs:1:48213".');
  return lines.replace(PLACE, (_, bundle: string, line: string, column: string) => {
    const file = join(packaged, 'source-maps', `${bundle}.map`);
    if (!existsSync(file)) throw new Error(`There is no ${file}. Name the folder of the stage's package.`);
    const place = new SourceMap(JSON.parse(readFileSync(file, 'utf8'))).findOrigin(Number(line), Number(column));
    if (!('fileName' in place))
      throw new Error(`${file} has no line ${line}, column ${column}: it is of another package.`);
    return `${place.fileName.replace(/^(\.\.\/)+/, '')}:${place.lineNumber}:${place.columnNumber}`;
  });
}

if (import.meta.main)
  try {
    const [folder = '.serverless'] = process.argv.slice(2);
    process.stdout.write(inSource(await text(process.stdin), folder));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
