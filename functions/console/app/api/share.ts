import type { Outcome, Patience } from './patience.ts';

/** Half of what a person may send in a second, by the limit of people. */
const PER_SECOND = 5;

/**
 * A patience that leaves half of the rate limit to others: to the acquirer's programs, and to what else the person does.
 * While there is a limit, it sends one request after the other, and waits for a new window once half is left.
 */
export interface Share {
  patience: Patience;
  /** Half of the limit, in tokens; `Infinity` while there is none. */
  half(): number;
}

/** The numbers of a structured header, by their names: `"requests";r=40;t=1`. */
const numbersIn = (header: string | null): Record<string, number> =>
  Object.fromEntries([...(header ?? '').matchAll(/;(\w)=(\d+)/g)].map(([, name, number]) => [name, Number(number)]));

export function shareOf(patience: Patience, signal: AbortSignal): Share {
  let half = Number.POSITIVE_INFINITY;
  let next = 0;
  let last: Promise<unknown> = Promise.resolve();

  function note(headers: Headers): void {
    const { q } = numbersIn(headers.get('ratelimit-policy'));
    const { r = 0, t = 0 } = numbersIn(headers.get('ratelimit'));
    half = q === undefined ? Number.POSITIVE_INFINITY : q / 2;
    next = q === undefined ? 0 : Date.now() + 1000 * (r < half ? t : 1 / PER_SECOND);
  }

  const send: Patience = async <O extends Outcome>(request: () => Promise<O>) => {
    while (next > Date.now() && !signal.aborted) await new Promise((done) => setTimeout(done, next - Date.now()));
    return patience(async () => {
      const outcome = await request();
      note(outcome.response.headers);
      return outcome;
    });
  };
  return {
    half: () => half,
    patience(request) {
      if (half === Number.POSITIVE_INFINITY) return send(request);
      const sent = last.catch(() => {}).then(() => send(request));
      last = sent;
      return sent;
    },
  };
}
