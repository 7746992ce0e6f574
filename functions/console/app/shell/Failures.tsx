import { Alert, Button } from '@mantine/core';
import { RefreshCw } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { UNEXPECTED } from '../resources/ProblemNotice.tsx';

/** What browsers say when a file of another version is not there any more. */
const NOT_LOADED = /dynamically imported module|module script|Importing a module/i;
const NEW_VERSION = {
  title: 'This view could not be loaded',
  detail: 'There may be a new version of the console, or the connection was lost. Reload to continue.',
};

function ErrorView({ error }: { error: Error }) {
  const { title, detail } = NOT_LOADED.test(error.message) ? NEW_VERSION : UNEXPECTED;
  return (
    <Alert color="yellow" role="alert" title={<h1 className="alert-title">{title}</h1>} icon={<RefreshCw size={18} />}>
      {detail}
      <br />
      <Button mt="sm" size="xs" variant="default" onClick={() => location.reload()}>
        Reload
      </Button>
    </Alert>
  );
}

/** Shows in place of a view, or of all, why it could not be loaded or has failed; another address is another try. */
export class Failures extends Component<{ address: string; children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError = (error: Error) => ({ error });

  override componentDidUpdate({ address }: { address: string }): void {
    if (address !== this.props.address && this.state.error) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    return this.state.error ? <ErrorView error={this.state.error} /> : this.props.children;
  }
}
