/* All pages but Home and Import, which is large, and what Home shows of the fleet: browsers load them together. */

export { default as Activity } from './pages/activity/Activity.tsx';
export { default as Branch } from './pages/branch/Branch.tsx';
export { default as Branches } from './pages/branches/Branches.tsx';
export { default as Help } from './pages/help/Help.tsx';
export { default as Estate } from './pages/home/Estate.tsx';
export { default as Keys } from './pages/keys/Keys.tsx';
export { default as NewBranch } from './pages/newBranch/NewBranch.tsx';
export { default as People } from './pages/people/People.tsx';
export { default as Terminal } from './pages/terminal/Terminal.tsx';
export { default as Terminals } from './pages/terminals/Terminals.tsx';
