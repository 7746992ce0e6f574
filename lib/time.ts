/**
 * The time of a change: now, but at least a millisecond later than the change before, whatever this process's clock says.
 * RFC 3339 UTC with milliseconds, like its argument.
 */
export const laterThan = (time: string): string => new Date(Math.max(Date.now(), Date.parse(time) + 1)).toISOString();
