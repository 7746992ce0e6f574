import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { progress } from '@clack/prompts';

/** The progress bar of an import, on the line below its output. */
export interface Bar {
  /** Sets the number of bytes read. */
  advanceTo(bytes: number, text: string): void;
  /** Clears the line for output. The next `advanceTo` draws the bar again. */
  clearLine(): void;
  end(): void;
}

/** Shows a progress bar for reading a file. */
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
    // Moves to the beginning of the line and clears to the end of the screen.
    clearLine: () => output.write('\r\x1b[J'),
    end: bar.clear,
  };
}
