import { Alert, Button } from '@mantine/core';
import { RefreshCw } from 'lucide-react';
import { texts } from './shared/texts.ts';

/** What browsers say when a file of another version is not there any more. */
const NOT_LOADED = /dynamically imported module|module script|Importing a module/i;

/** Says that a view could not be loaded, or has failed. */
export function ErrorView({ error }: { error: Error }) {
  const { title, detail } = texts.problems[NOT_LOADED.test(error.message) ? 'updated' : 'unexpected'] ?? { title: '' };
  return (
    <Alert
      color="yellow"
      role="alert"
      title={<h1 className="alert-title">{title}</h1>}
      icon={<RefreshCw size={18} aria-hidden />}
    >
      {detail}
      <br />
      <Button mt="sm" size="xs" variant="default" onClick={() => location.reload()}>
        {texts.reload}
      </Button>
    </Alert>
  );
}
