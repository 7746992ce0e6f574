import type { BarcodeDetector } from 'barcode-detector/ponyfill';
import READER_URL from 'zxing-wasm/reader/zxing_reader.wasm?url';

type Detector = Pick<BarcodeDetector, 'detect'>;

/** The codes on the stickers of devices. Others, such as EAN, identify a product, not a device. */
const FORMATS = ['code_128', 'code_39', 'data_matrix', 'qr_code'] as const;
/** Between two pictures, so that the page and the battery have a rest. */
const PAUSE_MS = 100;

/** The browser's own reader, if it has one that works: some phones have its interface without what it needs. */
async function browsersDetector(): Promise<Detector | undefined> {
  const { BarcodeDetector: Browsers } = globalThis as { BarcodeDetector?: typeof BarcodeDetector };
  try {
    const known = await Browsers?.getSupportedFormats();
    if (!Browsers || !FORMATS.every((format) => known?.includes(format))) return undefined;
    const detector = new Browsers({ formats: [...FORMATS] });
    await detector.detect(new ImageData(1, 1));
    return detector;
  } catch {
    return undefined;
  }
}

/** A reader with the same interface, whose WebAssembly is loaded now. */
async function loadDetector(): Promise<Detector> {
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector/ponyfill');
  await prepareZXingModule({ overrides: { locateFile: () => READER_URL }, fireImmediately: true });
  return new BarcodeDetector({ formats: [...FORMATS] });
}

/** The camera on the back of a phone, or any other. */
const openCamera = () =>
  navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } },
  });

/**
 * Shows the picture of the camera in a video, and reads codes from it until the signal is aborted.
 *
 * @param onOpen Called with the camera once it is open.
 * @param onRead Called with each code, as often as it is read.
 * @throws DOMException if there is no camera, the person refuses it, or it is taken away; another error if the reader
 *   cannot be loaded.
 */
export async function readCamera(
  video: HTMLVideoElement,
  {
    signal,
    onOpen,
    onRead,
  }: { signal: AbortSignal; onOpen: (camera: MediaStreamTrack) => void; onRead: (text: string) => void },
): Promise<void> {
  const stream = await openCamera();
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  // Also while the reader is loaded.
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) return;
    const [camera] = stream.getVideoTracks() as [MediaStreamTrack];
    video.srcObject = stream;
    onOpen(camera);
    const detector = (await browsersDetector()) ?? (await loadDetector());
    while (!signal.aborted) {
      if (camera.readyState === 'ended') throw new DOMException('The camera was taken away.', 'NotReadableError');
      if (video.readyState >= video.HAVE_CURRENT_DATA)
        for (const { rawValue } of await detector.detect(video)) if (!signal.aborted) onRead(rawValue);
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  } finally {
    stop();
  }
}

/** Whether a camera has a light. */
export const hasLight = (camera: MediaStreamTrack): boolean =>
  (camera.getCapabilities?.() as { torch?: boolean } | undefined)?.torch === true;

export const setLight = (camera: MediaStreamTrack, isOn: boolean): Promise<void> =>
  camera.applyConstraints({ advanced: [{ torch: isOn } as MediaTrackConstraintSet] });
