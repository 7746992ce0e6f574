import { expect, test } from '@jest/globals';
import { CONTRACT } from '../../../support/contract.ts';

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
