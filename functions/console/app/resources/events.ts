import {
  Archive,
  ArrowLeftRight,
  ArrowRight,
  type LucideIcon,
  Pencil,
  Plus,
  RotateCcw,
  Trash2,
  Undo2,
} from 'lucide-react';
import { ownValue } from '../shared/address.ts';
import type { Event, Subject } from './data.ts';
import { isSwap, isUndo } from './runs.ts';

type Moved = 'terminal.reassigned' | 'terminal.left' | 'terminal.joined';

/** The kinds of changes that people look for. */
export const KINDS: Record<Exclude<NonNullable<Subject['type']>, Moved>, string> = {
  'branch.created': 'Branch created',
  'branch.updated': 'Branch changed',
  'branch.archived': 'Branch archived',
  'branch.restored': 'Branch restored',
  'terminals.created': 'Terminals added',
  'terminal.updated': 'Terminal changed',
  'terminal.archived': 'Terminal archived',
  'terminal.restored': 'Terminal restored',
  'terminal.moved': 'Terminal moved',
  'terminal.deleted': 'Terminal deleted',
};

/** The kind of an event: what moved a terminal is one, whoever the other branch belongs to. */
export const kindOf = (type: Event['type']): string => ownValue(KINDS, type) ?? KINDS['terminal.moved'];

interface Shown {
  icon: LucideIcon;
  /** `{what}` is `it` in the timeline of the thing itself. */
  sentence: string;
  /** In the timeline of a terminal, for an event of its branch or of the request that created it. */
  ofTerminal?: string;
}

const EVENTS: Record<Event['type'], Shown> = {
  'branch.created': {
    icon: Plus,
    sentence: '{who} created {what}',
    ofTerminal: '{who} created it with its branch {branch}',
  },
  'branch.updated': { icon: Pencil, sentence: '{who} changed {what}' },
  'branch.archived': {
    icon: Archive,
    sentence: '{who} archived {what}',
    ofTerminal: '{who} archived branch {branch} with its terminals',
  },
  'branch.restored': {
    icon: RotateCcw,
    sentence: '{who} restored {what}',
    ofTerminal: '{who} restored branch {branch} with its terminals',
  },
  'terminals.created': {
    icon: Plus,
    sentence: '{who} added {terminals} to {what}',
    ofTerminal: '{who} created it at {branch}',
  },
  'terminal.updated': { icon: Pencil, sentence: '{who} changed {what}' },
  'terminal.archived': { icon: Archive, sentence: '{who} archived {what}: {reason}' },
  'terminal.restored': { icon: RotateCcw, sentence: '{who} restored {what}' },
  'terminal.reassigned': {
    icon: ArrowRight,
    sentence: '{who} moved {what} from {from} to {branch}',
  },
  'terminal.deleted': { icon: Trash2, sentence: '{who} deleted {what}' },
  'terminal.left': {
    icon: ArrowRight,
    sentence: '{who} moved {what} from {branch} to a branch that is not yours',
  },
  'terminal.joined': {
    icon: ArrowRight,
    sentence: '{who} moved {what} to {branch}, from a branch that is not yours',
  },
};

const SWAPPED: Shown = {
  icon: ArrowLeftRight,
  sentence: '{who} swapped the device of {what}',
  ofTerminal: '{who} swapped its device',
};

/** How an event is shown. */
export function shownOf(event: Event): Shown {
  const shown = isSwap(event) ? SWAPPED : EVENTS[event.type];
  return isUndo(event) ? { ...shown, icon: Undo2 } : shown;
}
