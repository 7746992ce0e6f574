import { Component, lazy, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { Redirect, Route, Switch, useLocation, useParams } from 'wouter';
import { ErrorView } from './ErrorView.tsx';
import { Home } from './pages/home/Home.tsx';
import { rememberAcquirer, rememberedAcquirer } from './preferences.ts';
import { apiOf } from './request.ts';
import { Notice, OwnAcquirers, SessionGate, SignedIn } from './session/SessionGate.tsx';
import { ActingContext, type Session } from './session/session.ts';
import { texts } from './session/texts.ts';
import { Lines } from './shared/Timeline.tsx';
import { Shell } from './shell/Shell.tsx';

type OtherViews = typeof import('./views.ts');

const views = () => import('./views.ts');
const importing = () => import('./pages/import/Import.tsx');
const viewOf = (name: keyof OtherViews) => lazy(async () => ({ default: (await views())[name] }));

/** The views of an acquirer, but for the first. */
const ROUTES = [
  ['/branches', viewOf('Branches')],
  ['/new-branch', viewOf('NewBranch')],
  ['/branches/:mid', viewOf('Branch')],
  ['/terminals/:tid', viewOf('Terminal')],
  ['/activity', viewOf('Activity')],
  ['/import', lazy(importing)],
  ['/keys', viewOf('Keys')],
  ['/people', viewOf('People')],
  ['/help', viewOf('Help')],
] as const;

/** Shows in place of a view why it has failed; another address is another try. */
class Failures extends Component<{ address: string; children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError = (error: Error) => ({ error });

  override componentDidUpdate({ address }: { address: string }): void {
    if (address !== this.props.address && this.state.error) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    return this.state.error ? <ErrorView error={this.state.error} /> : this.props.children;
  }
}

/** The views of one acquirer. */
function Views() {
  const [address] = useLocation();
  // Loads the other views while nothing else is to be done, so that a later deployment cannot take them away.
  useEffect(() => {
    const load = () => Promise.allSettled([views(), importing()]);
    const timer = setTimeout(load, 2_000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Failures address={address}>
      <Suspense fallback={<Lines count={6} />}>
        <Switch>
          <Route path="/" component={Home} />
          {ROUTES.map(([path, View]) => (
            <Route key={path} path={path}>
              <View />
            </Route>
          ))}
          <Route>
            <Redirect to="/" replace />
          </Route>
        </Switch>
      </Suspense>
    </Failures>
  );
}

function AsAcquirer({ session: { person, acquirers } }: { session: Session }) {
  const { acquirer: id } = useParams();
  const acquirer = acquirers.find((each) => each.id === id);
  const acting = useMemo(
    () => acquirer && { person, acquirer, acquirers, api: apiOf(acquirer.id) },
    [person, acquirer, acquirers],
  );
  useEffect(() => acquirer && rememberAcquirer(acquirer.id), [acquirer]);
  if (!acting)
    return (
      <Notice {...texts.notYours}>
        <OwnAcquirers acquirers={acquirers} />
      </Notice>
    );
  return (
    <ActingContext value={acting} key={acting.acquirer.id}>
      <Shell>
        <Views />
      </Shell>
    </ActingContext>
  );
}

/** The address of an acquirer's views, for a person who opens the console without one. */
function Start({ acquirers }: Session) {
  const { id } = acquirers.find((each) => each.id === rememberedAcquirer()) ?? acquirers[0] ?? {};
  return id === undefined ? <Notice {...texts.noAcquirer} /> : <Redirect to={`/console/${id}`} replace />;
}

export const App = () => (
  <Switch>
    <Route path="/console/signed-in" component={SignedIn} />
    <Route path="/console">
      <SessionGate>{(session) => <Start {...session} />}</SessionGate>
    </Route>
    <Route path="/console/:acquirer" nest>
      <SessionGate>{(session) => <AsAcquirer session={session} />}</SessionGate>
    </Route>
  </Switch>
);
