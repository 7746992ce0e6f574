import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { CONTRACT } from '../../../support/contract.ts';
import { deep, seed } from '../../../support/depth.ts';

/*
 * The patterns of docs/openapi.json mean the same in every language
 * (docs/decisions/0017-the-contract-is-made-of-the-code.md).
 */

/** The patterns of all schemas in a part of the contract. */
function patternsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { pattern, examples: _, example: __, ...rest } = part as Record<string, unknown>;
  return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.values(rest).flatMap(patternsIn)];
}

const PATTERNS = [...new Set(patternsIn(CONTRACT))];

/**
 * Syntax that an engine lacks or reads differently: most escapes and special groups, the dot, set operations in a
 * character class, and characters outside of ASCII.
 */
const NOT_PORTABLE = /\\[^+.trn]|\(\?[^:]|^(?:[^[\]]|\[[^\]]*\])*(?<!\\)\.|\[[^\]]*(?:\[|&&|--|~~)|[^ -~]/;

test.each(PATTERNS)('a pattern uses only syntax that all languages share: %s', (pattern) => {
  expect(pattern).not.toMatch(NOT_PORTABLE);
});

/** Characters that some engine treats differently. */
const CHARACTERS = [...'aZ0-+_.@ /\t\n\v\f\u0000\u0007\u0085\u00a0\u2028\ufeff\ufffd\u0660é🏪'];

/**
 * Whether `$` may match before the end of a text. In Python, Java and .NET it also matches before a final line
 * terminator, and no syntax for the absolute end is portable. In bodies it makes no difference: the service trims
 * texts, and rejects U+0085 as a control character.
 */
const endsInLineTerminator = (text: string): boolean => /[\n\r\u0085\u2028\u2029]$/.test(text);

/** Texts that match a pattern, and ones that differ from these in one character. */
const textsOf = (pattern: string): string[] =>
  fc
    .sample(
      fc
        .tuple(fc.stringMatching(new RegExp(pattern, 'u')), fc.nat(99), fc.nat(1), fc.constantFrom('', ...CHARACTERS))
        .map(([text, at, cut, character]) => {
          const characters = [...text];
          return characters.toSpliced(at % (characters.length + 1), cut, character).join('');
        }),
      { numRuns: 10_000, seed },
    )
    .concat(CHARACTERS)
    .filter((text) => !endsInLineTerminator(text));

/** Judges texts by their patterns. */
type Judge = (texts: Map<string, string[]>) => boolean[][];
const judge =
  (compile: (pattern: string) => (text: string) => boolean): Judge =>
  (texts) =>
    [...texts].map(([pattern, each]) => each.map(compile(pattern)));

/** Does so in Python with `re.search`. */
const PYTHON =
  'import json, re; print(json.dumps([[bool(re.search(p, t)) for t in ts] for p, ts in json.load(open(0))]))';
const judgeInPython: Judge = (texts) =>
  JSON.parse(
    String(execFileSync('python3', ['-c', PYTHON], { input: JSON.stringify([...texts]), maxBuffer: 2 ** 30 })),
  );

const judgeAsGo = judge((pattern) => {
  const format = RE2JS.compile(pattern);
  return (text) => format.matcher(text).find();
});

/** Engines of other languages. */
const ENGINES: [engine: string, judge: Judge][] = [
  ['ECMAScript without the flag u', judge((pattern) => (text) => new RegExp(pattern).test(text))],
  ['RE2, the engine of Go', judgeAsGo],
  ['Python', judgeInPython],
];

(deep ? describe : describe.skip)('the patterns, judged by 10,000 texts each,', () => {
  const texts = new Map(deep ? PATTERNS.map((pattern) => [pattern, textsOf(pattern)]) : []);
  const expected = judge((pattern) => (text) => new RegExp(pattern, 'u').test(text))(texts);

  test('match some and do not match others', () => {
    for (const each of expected) expect(new Set(each)).toEqual(new Set([true, false]));
  });

  test.each(ENGINES)('mean the same in %s', (_, judged) => {
    expect(judged(texts)).toEqual(expected);
  });
});
