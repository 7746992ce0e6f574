import { Alert } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';

export const StorageNotice = () => (
  <Alert
    color="red"
    role="alert"
    title="This browser does not store how far the import is"
    icon={<TriangleAlert size={18} />}
  >
    Free some space, or leave private browsing. Then try again: no row is created twice.
  </Alert>
);
