import { createCipheriv, createHash } from 'node:crypto';

/** Choices that are the same for the same seed: the keystream of AES in counter mode. */
export class Dice {
  readonly #stream;

  constructor(seed: string) {
    const key = createHash('sha256').update(seed).digest();
    this.#stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return this.#stream.update(Buffer.alloc(4)).readUInt32LE() % end;
  }

  /** True once in `times`. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of a list that is not empty. */
  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** One of some choices by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    return this.of(choices.flatMap(([weight, choice]) => Array<T>(weight).fill(choice)));
  }
}
