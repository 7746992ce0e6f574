/** The format of the header `Date` (RFC 9110 §5.6.7, IMF-fixdate). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The resolution of the header `Date`, in milliseconds. */
const RESOLUTION_MS = 1000;

/**
 * How far this process's clock is provably from that of a server, in milliseconds; 0 if the clocks may agree. The
 * header `Date` of a response names the second in which the server made it, which was between sending the request and
 * receiving the response. So the clock is off by at least as much as these two times lie outside of that second, and by
 * less than a second and the duration of the request more.
 *
 * @param sent When the request was sent, by this process's clock, in milliseconds since 1970.
 * @param received When the response was received, by the same clock.
 * @param date The header. Nothing is proven by one that is missing or malformed.
 */
export function provableSkewMs(sent: number, received: number, date: string | undefined): number {
  const second = HTTP_DATE.test(date ?? '') ? Date.parse(date as string) : Number.NaN;
  if (Number.isNaN(second)) return 0;
  return Math.max(sent - (second + RESOLUTION_MS), second - received, 0);
}
