import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { CONTRACT } from '../../../support/contract.ts';
import { seed } from '../../../support/depth.ts';
import { CHARACTERS } from './arbitrary.ts';
import { testWith } from './testWith.ts';

/*
 * The patterns of docs/openapi.json mean the same in every language
 * (docs/decisions/0017-the-contract-is-made-of-the-code.md).
 */

const TEXTS = 10_000;

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

/** A text with one Unicode character inserted, cut or replaced. */
function changed(text: string, at: number, kind: 'insert' | 'cut' | 'replace', character: string): string {
  const characters = [...text];
  const index = at % (characters.length + 1);
  return characters.toSpliced(index, Number(kind !== 'insert'), ...(kind === 'cut' ? [] : [character])).join('');
}

/**
 * Whether `$` may match before the end of a text. In Python, Java and .NET it also matches before a final line
 * terminator, and no syntax for the absolute end is portable. In bodies it makes no difference: the service trims texts,
 * and rejects U+0085 as a control character.
 */
const endsInLineTerminator = (text: string): boolean => /[\n\r\u0085\u2028\u2029]$/.test(text);

/** Characters that can be sent, as no unpaired surrogate can. */
const SENT = CHARACTERS.filter((character) => character.isWellFormed());

const BLANKS = Array.from({ length: 30 }, (_, length) => ' '.repeat(length));

/** Texts that match a pattern, and ones that differ from these in one character. */
const textsOf = (pattern: string): string[] =>
  fc
    .sample(
      fc.tuple(
        fc.stringMatching(new RegExp(pattern, 'u')),
        fc.array(fc.tuple(fc.nat(99), fc.constantFrom('insert', 'cut', 'replace'), fc.constantFrom(...SENT)), {
          minLength: 12,
          maxLength: 12,
        }),
      ),
      { numRuns: TEXTS / 10, seed },
    )
    .flatMap(([text, changes]) => [text, ...changes.map(([at, kind, character]) => changed(text, at, kind, character))])
    .concat(SENT, BLANKS)
    .filter((text) => !endsInLineTerminator(text))
    .slice(-TEXTS);

/** The verdict of each text: `1` if it matches. */
const verdicts = (texts: string[], matches: (text: string) => boolean): string =>
  texts.map((text) => Number(matches(text))).join('');

describe('the patterns of the contract', () => {
  let texts: Map<string, string[]>;
  let expected: string[];
  beforeAll(() => {
    texts = new Map(PATTERNS.map((pattern) => [pattern, textsOf(pattern)]));
    expected = judged((pattern) => {
      const format = new RegExp(pattern, 'u');
      return (text) => format.test(text);
    });
  });

  /** The verdicts of an engine by pattern. */
  const judged = (compile: (pattern: string) => (text: string) => boolean): string[] =>
    [...texts].map(([pattern, each]) => verdicts(each, compile(pattern)));

  /** The verdicts of a program of the folder `engines`. */
  async function judgedBy(program: string, file: string): Promise<string[]> {
    const line = (kind: string, value: string) => `${kind}${Buffer.from(value).toString('base64')}\n`;
    const lines = [...texts].flatMap(([pattern, each]) => [line('p', pattern), ...each.map((text) => line('t', text))]);
    const running = promisify(execFile)(program, [`test/infra/publish/contract/engines/${file}`], {
      maxBuffer: 2 ** 30,
    });
    running.child.stdin?.end(lines.join(''));
    return (await running).stdout.trimEnd().split('\n');
  }

  test('are judged by texts of which some match and some do not', () => {
    expect(PATTERNS.length).toBeGreaterThan(10);
    expect([...texts.values()].map(({ length }) => length)).toEqual(PATTERNS.map(() => TEXTS));
    const fewest = expected.map((each) => Math.min(each.split('0').length, each.split('1').length));
    expect(Math.min(...fewest)).toBeGreaterThan(20);
  });

  test.each(PATTERNS)('use only syntax that all languages share: %s', (pattern) => {
    expect(pattern).not.toMatch(NOT_PORTABLE);
  });

  test('mean the same in ECMAScript without the flag u', () => {
    expect(
      judged((pattern) => {
        const format = new RegExp(pattern);
        return (text) => format.test(text);
      }),
    ).toEqual(expected);
  });

  test('mean the same in RE2, the engine of Go', () => {
    expect(
      judged((pattern) => {
        const format = RE2JS.compile(pattern);
        return (text) => format.matcher(text).find();
      }),
    ).toEqual(expected);
  });

  testWith('python3', 'mean the same in Python', async () => {
    expect(await judgedBy('python3', 'judge.py')).toEqual(expected);
  });

  // Java runs a source file only with a JDK.
  testWith('javac', 'mean the same in Java', async () => {
    expect(await judgedBy('java', 'Judge.java')).toEqual(expected);
  });
});
