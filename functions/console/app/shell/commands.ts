import { useMantineColorScheme } from '@mantine/core';
import { LogOut, type LucideIcon, MonitorSmartphone, SunMoon } from 'lucide-react';
import { placesOf } from '../pages/views.ts';
import { useActing } from '../session/session.ts';
import { useOffered } from '../shared/Actions.tsx';
import { SCHEMES } from './AccountMenu.tsx';

interface Command {
  group: string;
  label: string;
  icon: LucideIcon;
  /** Where it leads, unless it does something: then its label. */
  path: string;
  onClick?: (() => void) | undefined;
  /** What people call it besides. */
  words?: string;
  /** Whether Enter takes it before things only if all of its label is typed. */
  isWhole?: boolean;
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** What terminals can be asked for by their state, and where: `archived in Porto`. */
const STATES: { label: string; filter: Record<string, string>; words?: string }[] = [
  { label: 'Active terminals', filter: { status: 'active' } },
  { label: 'Archived terminals', filter: { status: 'archived' } },
  { label: 'Terminals not seen for 7 days', filter: { status: 'active', seen: 'week' }, words: 'silent' },
  { label: 'Terminals never seen', filter: { seen: 'never' } },
];

const statesIn = (place: string): Command[] =>
  STATES.map(({ label, filter, words = '' }) => ({
    group: 'Terminals by state',
    label: place ? `${label} in ${place}` : label,
    icon: MonitorSmartphone,
    path: `/terminals?${new URLSearchParams({ ...filter, ...(place && { q: place }) })}`,
    words,
  }));

/** What the menu of the account offers too. */
function useAccount(signOut: (everywhere: boolean) => void): Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const schemes = (['light', 'dark', 'auto'] as const).map((scheme) => ({
    group: 'Appearance',
    label: SCHEMES[scheme],
    icon: SunMoon,
    words: 'appearance theme mode',
    onClick: () => setColorScheme(scheme),
  }));
  const leave = [
    { label: 'Sign out', onClick: () => signOut(false) },
    { label: 'Sign out everywhere', onClick: () => signOut(true) },
  ].map((each) => ({ ...each, group: 'Account', icon: LogOut, words: 'log' }));
  return [...schemes, ...leave].map((each) => ({ ...each, path: each.label, isWhole: true }));
}

/**
 * The actions and views that match the beginnings of words; those of the account and of states of terminals only once
 * something is typed. `exact`: index of the first that matches whole words, or -1.
 */
export function useCommands(text: string, signOut: (everywhere: boolean) => void) {
  const places = placesOf(useActing().acquirer).map((place): Command => ({ ...place, group: 'Go to' }));
  const actions = useOffered().map((action): Command => ({ ...action, group: 'On this page', path: action.label }));
  const account = useAccount(signOut);
  const [state = '', place = ''] = text.trim().split(/\s+in(?:\s+|$)/i);
  const matches = (words: string[]) => (command: Command) =>
    words.every((word) => wordsOf(`${command.label} ${command.words ?? ''}`).some((each) => each.startsWith(word)));
  const typed = wordsOf(text);
  const asked = wordsOf(state);
  // The beginning of `terminals` alone asks for no state.
  const asksForState = asked.some((word) => !'terminals'.startsWith(word));
  const commands = [
    ...[...actions, ...places, ...(typed.length > 0 ? account : [])].filter(matches(typed)),
    ...(asksForState ? statesIn(place).filter(matches(asked)) : []),
  ];
  const isExact = ({ label, isWhole = false }: Command) =>
    typed.every((word) => wordsOf(label).includes(word)) && (!isWhole || typed.length === wordsOf(label).length);
  return { commands, exact: typed.length > 0 ? commands.findIndex(isExact) : -1 };
}
