import {
  Activity,
  Ban,
  CircleHelp,
  House,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Plus,
  Store,
  Upload,
  Users,
  Webhook,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import { loadScanner } from '../search/ScanButton.tsx';
import type { OwnAcquirer, Permission } from '../session/session.ts';
import { Home } from './home/Home.tsx';

interface View {
  path: string;
  Page: ComponentType;
  /** Its name, if it is a place to go to, for those who may do what it needs. The search box has also unlisted ones. */
  place?: { label: string; icon: LucideIcon; needs?: Permission; isUnlisted?: boolean };
}

const pages = () => import('./laterPages.ts');
const estatePages = () => import('./estatePages.ts');
const pageOf = <Name extends keyof typeof import('./laterPages.ts')>(name: Name) =>
  lazy(async () => ({ default: (await pages())[name] }));
const estatePageOf = <Name extends Exclude<keyof typeof import('./estatePages.ts'), 'unfinishedWork'>>(name: Name) =>
  lazy(async () => ({ default: (await estatePages())[name] }));

/** How far an import is, in the menu. Where it cannot be loaded, neither can the views of imports, which say so. */
export const ImportIndicator = lazy(() =>
  estatePages().then(
    (loaded) => ({ default: loaded.ImportIndicator }),
    () => ({ default: () => null }),
  ),
);
/** What the menu of the account opens. */
export const LeaveDialog = pageOf('LeaveDialog');
export const ShortcutsDialog = pageOf('ShortcutsDialog');
export const SignOutDialog = estatePageOf('SignOutDialog');

export const VIEWS: View[] = [
  { path: '/', Page: Home, place: { label: 'Home', icon: House } },
  { path: '/branches', Page: estatePageOf('Branches'), place: { label: 'Branches', icon: Store } },
  { path: '/branches/:mid', Page: pageOf('Branch') },
  {
    path: '/new-branch',
    Page: pageOf('NewBranch'),
    place: { label: 'New branch', icon: Plus, needs: 'change', isUnlisted: true },
  },
  {
    path: '/terminals',
    Page: estatePageOf('Terminals'),
    place: { label: 'Terminals', icon: MonitorSmartphone },
  },
  { path: '/terminals/:tid', Page: pageOf('Terminal') },
  { path: '/activity', Page: pageOf('Activity'), place: { label: 'Activity', icon: Activity } },
  { path: '/requests', Page: estatePageOf('Requests'), place: { label: 'Requests', icon: Ban } },
  { path: '/requests/:id', Page: estatePageOf('Request') },
  {
    path: '/import',
    Page: estatePageOf('Import'),
    place: { label: 'Import', icon: Upload, needs: 'change' },
  },
  { path: '/keys', Page: pageOf('Keys'), place: { label: 'API keys', icon: KeyRound, needs: 'administer' } },
  { path: '/people', Page: pageOf('People'), place: { label: 'People', icon: Users, needs: 'administer' } },
  { path: '/webhooks', Page: pageOf('Webhooks'), place: { label: 'Webhooks', icon: Webhook } },
  { path: '/webhooks/:id', Page: pageOf('Webhook') },
  { path: '/help', Page: pageOf('Help'), place: { label: 'Help', icon: CircleHelp } },
];

/** Loads all of them, so that a later deployment cannot take them away. */
export const loadViews = () => Promise.allSettled([pages(), estatePages(), loadScanner()]);

export const placesOf = ({ permissions }: OwnAcquirer) =>
  VIEWS.flatMap(({ path, place }) =>
    place && permissions.includes(place.needs ?? 'read') ? [{ path, ...place }] : [],
  );
