import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';

/* What a camera sees, for Chromium's fake one. */

const [WIDTH, HEIGHT] = [1280, 720];
const SECONDS = 2;
/** Points of a pixel in each direction that are looked at, so that edges are soft. */
const SAMPLES = 3;
const PAPER = 215;
const INK = 45;

export interface Sticker {
  text: string;
  format: 'Code128' | 'QRCode' | 'DataMatrix';
  /** How far it is turned, and how wide its smallest part is. */
  degrees: number;
  modulePx: number;
}

/** The light of each pixel of a picture with a code in its middle. */
async function lightOf({ text, format, degrees, modulePx }: Sticker): Promise<Buffer> {
  const { symbol } = await writeBarcode(text, { format });
  const isLinear = format === 'Code128';
  const rows = isLinear ? 40 : symbol.height;
  const isDark = (column: number, row: number): boolean =>
    column >= 0 && column < symbol.width && row >= 0 && row < rows
      ? symbol.data[(isLinear ? 0 : Math.floor(row)) * symbol.width + Math.floor(column)] === 0
      : false;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const light = Buffer.alloc(WIDTH * HEIGHT);
  for (let at = 0; at < light.length; at += 1) {
    let dark = 0;
    for (let sample = 0; sample < SAMPLES ** 2; sample += 1) {
      const x = (at % WIDTH) + (sample % SAMPLES) / SAMPLES - WIDTH / 2;
      const y = Math.floor(at / WIDTH) + Math.floor(sample / SAMPLES) / SAMPLES - HEIGHT / 2;
      const column = (x * cos + y * sin) / modulePx + symbol.width / 2;
      const row = (y * cos - x * sin) / modulePx + rows / 2;
      dark += Number(isDark(column, row));
    }
    light[at] = PAPER + ((INK - PAPER) * dark) / SAMPLES ** 2;
  }
  return light;
}

/** Writes a video that shows each sticker for two seconds (https://wiki.multimedia.cx/index.php/YUV4MPEG2). */
export async function filmStickers(path: string, stickers: Sticker[]): Promise<void> {
  const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
  prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer as ArrayBuffer } });
  const grey = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const frames: Buffer[] = [Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F1:1 Ip A1:1 C420jpeg\n`)];
  for (const sticker of stickers) {
    const light = await lightOf(sticker);
    for (let second = 0; second < SECONDS; second += 1) frames.push(Buffer.from('FRAME\n'), light, grey);
  }
  writeFileSync(path, Buffer.concat(frames));
}
