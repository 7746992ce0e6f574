/* Compresses what is kept. */

const through = async (bytes: Blob, stream: CompressionStream | DecompressionStream): Promise<Response> =>
  new Response(bytes.stream().pipeThrough(stream));

const FORM = 'deflate-raw';

export const deflated = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await (await through(new Blob([text]), new CompressionStream(FORM))).arrayBuffer());

/** Rejects if it was not deflated. */
export const inflated = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  (await through(new Blob([bytes]), new DecompressionStream(FORM))).text();
