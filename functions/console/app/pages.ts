/* The pages that come after the first view, together; but for those of the fleet. */

export { default as Activity } from './pages/activity/Activity.tsx';
export { default as Branch } from './pages/branch/Branch.tsx';
export { default as Branches } from './pages/branches/Branches.tsx';
export { default as Help } from './pages/help/Help.tsx';
export { default as Keys } from './pages/keys/Keys.tsx';
export { default as NewBranch } from './pages/newBranch/NewBranch.tsx';
export { default as People } from './pages/people/People.tsx';
export { default as Terminal } from './pages/terminal/Terminal.tsx';
