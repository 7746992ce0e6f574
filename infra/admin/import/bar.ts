import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { progress } from '@clack/prompts';

/** How far an import is, on a line below all that is answered meanwhile. */
export interface Bar {
  /** Shows how many bytes of the file were read. */
  advanceTo(bytes: number, text: string): void;
  /** Leaves the line to an answer; the bar goes on below. */
  makeWay(): void;
  end(): void;
}

/** Begins to show how far a file is read. */
export function startBar(file: string, output: Writable): Bar {
  const onCancel = () => process.exit();
  const bar = progress({ max: statSync(file).size, output, withGuide: false, indicator: 'timer', onCancel });
  let shown = 0;
  bar.start('');
  return {
    advanceTo(bytes, text) {
      bar.advance(bytes - shown, text);
      shown = bytes;
    },
    // To the line's beginning, and clears it.
    makeWay: () => output.write('\r\x1b[J'),
    end: bar.clear,
  };
}
