import { useTimeout } from '@mantine/hooks';
import { Suspense, useEffect, useMemo } from 'react';
import { Redirect, Route, Router, Switch, useLocation, useParams } from 'wouter';
import { loadViews, VIEWS } from './pages/views.ts';
import { NotThere } from './resources/PageTitle.tsx';
import { Lines } from './resources/Timeline.tsx';
import { apiOf } from './session/apiOf.ts';
import { ActingContext, lastAcquirer, type Session } from './session/session.ts';
import { ROUTER } from './shared/stay.ts';
import { Failures } from './shell/Failures.tsx';
import { Ended, Notice, OwnAcquirers, SessionGate, SignedIn } from './shell/SessionGate.tsx';
import { Shell } from './shell/Shell.tsx';

function Views() {
  const [address] = useLocation();
  // While nothing else is to be done.
  useTimeout(loadViews, 2_000, { autoInvoke: true });
  return (
    <Failures address={address}>
      <Suspense fallback={<Lines count={6} />}>
        <Switch>
          {VIEWS.map(({ path, Page }) => (
            <Route key={path} path={path}>
              <Page />
            </Route>
          ))}
          <Route>
            <NotThere title="This page does not exist">
              Check the address, or type what you need into the search box.
            </NotThere>
          </Route>
        </Switch>
      </Suspense>
    </Failures>
  );
}

function AsAcquirer({ session: { person, acquirers } }: { session: Session }) {
  const { acquirer: id } = useParams();
  const [address] = useLocation();
  const acquirer = acquirers.find((each) => each.id === id);
  const acting = useMemo(
    () => acquirer && { person, acquirer, acquirers, api: apiOf(acquirer.id) },
    [person, acquirer, acquirers],
  );
  useEffect(() => acquirer && lastAcquirer.set(acquirer.id), [acquirer]);
  if (!acting)
    return (
      <Notice
        title="You cannot open this page"
        detail={
          'You do not belong to the acquirer in this address: you were not invited yet, your access was removed, or ' +
          'the address is wrong. Check it, ask an admin of that acquirer to invite you, or choose one of yours:'
        }
      >
        <OwnAcquirers acquirers={acquirers} />
      </Notice>
    );
  return (
    <ActingContext value={acting} key={acting.acquirer.id}>
      <Failures address={address}>
        <Shell>
          <Views />
        </Shell>
      </Failures>
    </ActingContext>
  );
}

/** The address of an acquirer's views, for a person who opens the console without one. */
function Start({ acquirers }: Session) {
  const { id } = acquirers.find((each) => each.id === lastAcquirer.get()) ?? acquirers[0] ?? {};
  if (id !== undefined) return <Redirect to={`/console/${id}`} replace />;
  return (
    <Notice
      title="You belong to no acquirer"
      detail="Ask an admin of your company to invite you, then open the link that they give you."
    />
  );
}

export const App = () => (
  <Router {...ROUTER}>
    <Switch>
      <Route path="/console/signed-in" component={SignedIn} />
      <Route path="/console/ended" component={Ended} />
      <Route path="/console">
        <SessionGate>{(session) => <Start {...session} />}</SessionGate>
      </Route>
      <Route path="/console/:acquirer" nest>
        <SessionGate>{(session) => <AsAcquirer session={session} />}</SessionGate>
      </Route>
    </Switch>
  </Router>
);
