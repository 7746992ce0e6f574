import {
  Activity,
  CircleHelp,
  House,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Store,
  Upload,
  Users,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import { Home } from './pages/home/Home.tsx';
import type { Permission } from './session/session.ts';

/** A view of an acquirer. */
interface View {
  path: string;
  Page: ComponentType;
  /** Its entry in the menu, if it has one, for those who may do what it needs. */
  menu?: { label: string; icon: LucideIcon; needs?: Permission };
}

const pages = () => import('./pages.ts');
const ofFleet = () => import('./fleetPages.ts');
const pageOf = (name: keyof typeof import('./pages.ts')) => lazy(async () => ({ default: (await pages())[name] }));
const fleetPageOf = (name: keyof typeof import('./fleetPages.ts')) =>
  lazy(async () => ({ default: (await ofFleet())[name] }));

/** All views, in the order of the menu. */
export const VIEWS: View[] = [
  { path: '/', Page: Home, menu: { label: 'Home', icon: House } },
  { path: '/branches', Page: pageOf('Branches'), menu: { label: 'Branches', icon: Store } },
  { path: '/branches/:mid', Page: pageOf('Branch') },
  { path: '/new-branch', Page: pageOf('NewBranch') },
  {
    path: '/terminals',
    Page: fleetPageOf('Terminals'),
    menu: { label: 'Terminals', icon: MonitorSmartphone },
  },
  { path: '/terminals/:tid', Page: pageOf('Terminal') },
  { path: '/activity', Page: pageOf('Activity'), menu: { label: 'Activity', icon: Activity } },
  { path: '/import', Page: fleetPageOf('Import'), menu: { label: 'Import and export', icon: Upload } },
  { path: '/keys', Page: pageOf('Keys'), menu: { label: 'API keys', icon: KeyRound, needs: 'administer' } },
  { path: '/people', Page: pageOf('People'), menu: { label: 'People', icon: Users, needs: 'administer' } },
  { path: '/help', Page: pageOf('Help'), menu: { label: 'Help', icon: CircleHelp } },
];

/** Loads all of them, so that a later deployment cannot take them away. */
export const loadViews = () => Promise.allSettled([pages(), ofFleet()]);
