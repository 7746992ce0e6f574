import { Alert, Button, CloseButton, Group, Modal, Stack, Text, UnstyledButton } from '@mantine/core';
import { ChevronRight, Flashlight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Id } from '../shared/Copy.tsx';
import { hasLight, readCamera, setLight } from '../shared/camera.ts';
import { codeOf, withoutSigns } from '../shared/scanned.ts';
import { Verdict } from './Verdict.tsx';

/** Why nothing can be read, by the name of the error. */
const FAILURES: Record<string, string> = {
  NotAllowedError: 'This page may not use the camera. Allow it in the settings of the browser, or type the number.',
  NotFoundError: 'This device has no camera. Type the number.',
  NotReadableError: 'Another app has the camera. Close it and scan again, or type the number.',
};
const NOT_LOADED =
  'What reads the codes could not be loaded. Check your connection and scan again, or type the number.';

/** What serial numbers and IDs are made of. Others are links, for example. */
const isIdentifier = (code: string): boolean => /^[0-9A-Za-z]{1,255}$/.test(code);

/** What the camera sees. Its codes are read until it is gone. */
function Picture({
  onOpen,
  onRead,
  onFailure,
}: Omit<Parameters<typeof readCamera>[1], 'signal'> & { onFailure: (name: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef({ onOpen, onRead, onFailure });
  latest.current = { onOpen, onRead, onFailure };
  useEffect(() => {
    const gone = new AbortController();
    readCamera(video.current as HTMLVideoElement, {
      signal: gone.signal,
      onOpen: (camera) => latest.current.onOpen(camera),
      onRead: (text) => latest.current.onRead(text),
    }).catch(({ name }: Error) => gone.signal.aborted || latest.current.onFailure(name));
    return () => gone.abort();
  }, []);
  return <video ref={video} className="camera" autoPlay muted playsInline aria-label="Picture of the camera" />;
}

/**
 * The camera as a scanner. A sticker often has several codes, so all that are read are listed with what has them, and
 * the person chooses one or, of several devices, takes all.
 */
export default function Scanner({
  isMany,
  onScan,
  onClose,
}: {
  isMany: boolean;
  onScan: (codes: string[]) => void;
  onClose: () => void;
}) {
  const [camera, setCamera] = useState<MediaStreamTrack>();
  const [isLit, setIsLit] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [codes, setCodes] = useState<string[]>([]);
  const removed = useRef(new Set<string>());

  const onRead = (text: string) => {
    const code = withoutSigns(codeOf(text));
    if (!isIdentifier(code) || removed.current.has(code)) return;
    setCodes((before) => (before.includes(code) ? before : [code, ...before]));
  };
  const last = codes[0];
  useEffect(() => {
    if (last !== undefined) navigator.vibrate?.(60);
  }, [last]);

  const take = (taken: string[]) => {
    onScan(taken);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Scan with the camera" size="md">
      <Stack gap="md">
        {failure ? (
          <Alert color="yellow" role="alert">
            {failure}
          </Alert>
        ) : (
          <Picture onOpen={setCamera} onRead={onRead} onFailure={(name) => setFailure(FAILURES[name] ?? NOT_LOADED)} />
        )}
        <Text size="sm" c="dimmed" role="status">
          {!failure && codes.length === 0 && 'Hold the code of the sticker into the picture.'}
        </Text>
        <Stack gap={0} component="ul" className="scanned" aria-label="Codes that were read">
          {codes.map((code) => (
            <li key={code}>
              {isMany ? (
                <Group gap="sm" wrap="nowrap">
                  <div className="grows">
                    <Id text={code} />
                    <Verdict code={code} />
                  </div>
                  <CloseButton
                    aria-label={`Remove ${code}`}
                    onClick={() => {
                      removed.current.add(code);
                      setCodes(codes.filter((each) => each !== code));
                    }}
                  />
                </Group>
              ) : (
                <UnstyledButton onClick={() => take([code])}>
                  <Group gap="sm" wrap="nowrap">
                    <div className="grows">
                      <Id text={code} />
                      <Verdict code={code} />
                    </div>
                    <ChevronRight size={16} />
                  </Group>
                </UnstyledButton>
              )}
            </li>
          ))}
        </Stack>
        <Group justify="flex-end" gap="sm" className="dialog-end">
          {camera && hasLight(camera) && (
            <Button
              variant="default"
              leftSection={<Flashlight size={16} />}
              aria-pressed={isLit}
              onClick={() => {
                setLight(camera, !isLit).then(
                  () => setIsLit(!isLit),
                  () => {},
                );
              }}
            >
              {isLit ? 'Light off' : 'Light on'}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Type instead
          </Button>
          {isMany && (
            <Button disabled={codes.length === 0} onClick={() => take(codes.toReversed())}>
              Add {codes.length}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
