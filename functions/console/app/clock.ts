import { observed } from './shared/observed.ts';

const TICK_MS = 30_000;

const now = observed(Date.now());
const tick = () => now.set(Date.now());
setInterval(tick, TICK_MS);
// Browsers stop the timers of a tab that is out of sight.
document.addEventListener('visibilitychange', tick);

/** The present, every 30 seconds. */
export const useNow = (): number => now.use((time) => time);
