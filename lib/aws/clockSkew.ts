/** The format of the header `Date` (RFC 9110 §5.6.7, IMF-fixdate). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const RESOLUTION_MS = 1000;

/**
 * How far this process's clock is provably from a server's, in milliseconds; 0 if the clocks may agree. The header
 * `Date` names the second in which the server made the response, which was between sending the request and receiving
 * the response.
 *
 * @param sent When the request was sent, by this process's clock, in milliseconds since 1970.
 * @param received When the response was received, by the same clock.
 * @param date The header. One that is missing or malformed proves nothing.
 */
export function provableSkewMs(sent: number, received: number, date: string | undefined): number {
  const second = HTTP_DATE.test(date ?? '') ? Date.parse(date as string) : Number.NaN;
  if (Number.isNaN(second)) return 0;
  return Math.max(sent - (second + RESOLUTION_MS), second - received, 0);
}
