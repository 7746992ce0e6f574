/* The other pages, and dialogs of the shell. They are loaded together, after the first view. */

export { default as Activity } from './activity/Activity.tsx';
export { default as Branch } from './branch/Branch.tsx';
export { default as Help } from './help/Help.tsx';
export { ShortcutsDialog } from './help/Shortcuts.tsx';
export { default as Keys } from './keys/Keys.tsx';
export { default as NewBranch } from './newBranch/NewBranch.tsx';
export { LeaveDialog } from './people/LeaveDialog.tsx';
export { default as People } from './people/People.tsx';
export { default as Terminal } from './terminal/Terminal.tsx';
export { default as Webhook } from './webhooks/Webhook.tsx';
export { default as Webhooks } from './webhooks/Webhooks.tsx';
