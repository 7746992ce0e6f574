import type { ChoiceTexts } from '../shared/Choices.tsx';

export const personRoles = {
  viewer: { name: 'Viewer', detail: 'Reads everything. Changes nothing.' },
  operator: { name: 'Operator', detail: 'Also creates, changes, archives, restores and moves.' },
  admin: { name: 'Admin', detail: 'Also deletes terminals, and manages API keys, people and webhooks.' },
} satisfies ChoiceTexts<string>;

export const keyRoles = {
  till: { name: 'Till', detail: 'Checks loyalty members. Nothing else.' },
  viewer: { name: 'Viewer', detail: 'Reads branches, terminals and activity. Changes nothing.' },
  operator: { name: 'Operator', detail: 'Reads, creates, changes, archives, restores and moves.' },
  full: {
    name: 'Full',
    detail: 'As an operator. Also deletes terminals, manages webhooks, and checks loyalty members.',
  },
} satisfies ChoiceTexts<string>;
