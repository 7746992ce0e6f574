/* The pages that use the estate as a whole, or files. They are loaded together, after the first view. */

export { default as Branches } from './branches/Branches.tsx';
export { default as EstateOverview } from './home/EstateOverview.tsx';
export { default as Import } from './import/Import.tsx';
export { ImportIndicator } from './import/ImportIndicator.tsx';
export { SignOutDialog } from './import/SignOutDialog.tsx';
export { unfinishedWork } from './import/unfinished.ts';
export { default as Request } from './requests/Request.tsx';
export { default as Requests } from './requests/Requests.tsx';
export { default as Terminals } from './terminals/Terminals.tsx';
