import { Alert } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { texts } from './texts.ts';

/** Says that the browser does not store how far an import is. */
export const StorageNotice = () => (
  <Alert color="red" role="alert" title={texts.storage.title} icon={<TriangleAlert size={18} aria-hidden />}>
    {texts.storage.detail}
  </Alert>
);
