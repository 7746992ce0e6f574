const HOME = '/console';

/** A path of the console in visible ASCII characters without `\`. */
const OURS = /^\/console(?:[/?#][!-[\]-~]*)?$/;

/** What a path must not contain encoded: slashes, backslashes and control characters. */
const ENCODED = /%(?:2f|5c|[01][0-9a-f]|7f)/i;

/** The pages of the sign-in itself, to which nobody returns. */
const SIGN_IN = /^\/console\/(?:sign-in|callback)(?:[/?#]|$)/;

/** The longest path that is kept. It fits into the cookie. */
const LONGEST = 1024;

/**
 * The path to return to after the sign-in: the given one, if no browser can take it for anything but one of the
 * console.
 */
export function returnPath(wanted: string | undefined): string {
  if (!wanted || wanted.length > LONGEST || !OURS.test(wanted) || wanted.includes('//') || SIGN_IN.test(wanted))
    return HOME;
  const { origin, pathname, search, hash } = new URL(wanted, 'https://console.invalid');
  // Not the same where it has `..` or `.`, also if these are encoded.
  const isResolved = origin === 'https://console.invalid' && pathname + search + hash === wanted;
  return isResolved && !ENCODED.test(pathname) ? wanted : HOME;
}
