import { ActionIcon, Button } from '@mantine/core';
import { ScanBarcode } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';

export const loadScanner = () => import('./Scanner.tsx');
const Scanner = lazy(loadScanner);

const LABEL = 'Scan with the camera';
/** Phones and tablets. Whoever has a keyboard has a scanner that is one, or pastes. */
const isOffered = 'mediaDevices' in navigator && matchMedia('(any-pointer: coarse)').matches;

/** A button that opens the camera as a scanner, on devices that are held: for one code, or for several. */
export function ScanButton({ onScan, isMany = false }: { onScan: (codes: string[]) => void; isMany?: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!isOffered) return null;
  return (
    <>
      {isMany ? (
        <Button variant="default" leftSection={<ScanBarcode size={16} />} onClick={() => setIsOpen(true)}>
          {LABEL}
        </Button>
      ) : (
        <ActionIcon size="lg" aria-label={LABEL} onClick={() => setIsOpen(true)}>
          <ScanBarcode size={20} />
        </ActionIcon>
      )}
      {isOpen && (
        <Suspense>
          <Scanner isMany={isMany} onScan={onScan} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
