const UUID_FORM = '[\\dA-Fa-f]{8}(?:-[\\dA-Fa-f]{4}){3}-[\\dA-Fa-f]{12}';

/** A MID: alphanumeric or a UUID, at most 64 characters (interface §2.1, §4.2). */
export const MID = new RegExp(`^(?:[0-9A-Za-z]{1,64}|${UUID_FORM})$`);

/** A UUID (RFC 9562), in either case. */
export const UUID = new RegExp(`^${UUID_FORM}$`);

/** A UUID in lower case, as all are stored; any other text as it is. */
export const lowerCaseUuid = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);
