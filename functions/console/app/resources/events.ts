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
import type { Event } from './data.ts';
import { isSwap, isUndo } from './runs.ts';

interface Shown {
  icon: LucideIcon;
  /** Those of one kind are one choice of the filter. */
  kind: string;
  /** `{what}` is `it` in the timeline of the thing itself. */
  sentence: string;
  /** In the timeline of a terminal, for an event of its branch or of the request that created it. */
  ofTerminal?: string;
}

export const EVENTS: Record<Event['type'], Shown> = {
  'branch.created': {
    icon: Plus,
    kind: 'Branch created',
    sentence: '{who} created {what}',
    ofTerminal: '{who} created it with its branch {branch}',
  },
  'branch.updated': { icon: Pencil, kind: 'Branch changed', sentence: '{who} changed {what}' },
  'branch.archived': {
    icon: Archive,
    kind: 'Branch archived',
    sentence: '{who} archived {what}',
    ofTerminal: '{who} archived branch {branch} with its terminals',
  },
  'branch.restored': {
    icon: RotateCcw,
    kind: 'Branch restored',
    sentence: '{who} restored {what}',
    ofTerminal: '{who} restored branch {branch} with its terminals',
  },
  'terminals.created': {
    icon: Plus,
    kind: 'Terminals added',
    sentence: '{who} added {terminals} to {what}',
    ofTerminal: '{who} created it at {branch}',
  },
  'terminal.updated': { icon: Pencil, kind: 'Terminal changed', sentence: '{who} changed {what}' },
  'terminal.archived': { icon: Archive, kind: 'Terminal archived', sentence: '{who} archived {what}: {reason}' },
  'terminal.restored': { icon: RotateCcw, kind: 'Terminal restored', sentence: '{who} restored {what}' },
  'terminal.reassigned': {
    icon: ArrowRight,
    kind: 'Terminal moved',
    sentence: '{who} moved {what} from {from} to {branch}',
  },
  'terminal.deleted': { icon: Trash2, kind: 'Terminal deleted', sentence: '{who} deleted {what}' },
  'terminal.left': {
    icon: ArrowRight,
    kind: 'Terminal moved',
    sentence: '{who} moved {what} from {branch} to a branch that is not yours',
  },
  'terminal.joined': {
    icon: ArrowRight,
    kind: 'Terminal moved',
    sentence: '{who} moved {what} to {branch}, from a branch that is not yours',
  },
};

const SWAPPED: Shown = {
  icon: ArrowLeftRight,
  kind: 'Terminal changed',
  sentence: '{who} swapped the device of {what}',
  ofTerminal: '{who} swapped its device',
};

/** How an event is shown. */
export function shownOf(event: Event): Shown {
  const shown = isSwap(event) ? SWAPPED : EVENTS[event.type];
  return isUndo(event) ? { ...shown, icon: Undo2 } : shown;
}
