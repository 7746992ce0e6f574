const UUID_FORM = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** Pattern of a MID: alphanumeric with at most 64 characters, or a UUID. */
export const MID_PATTERN = `^(?:[0-9A-Za-z]{1,64}|${UUID_FORM})$`;

export const MID = new RegExp(MID_PATTERN);

/** Matches a UUID (RFC 9562), in either case. */
export const UUID = new RegExp(`^${UUID_FORM}$`);

/** All UUIDs are stored in lower case. Other texts are returned unchanged. */
export const lowerCaseUuid = (text: string): string => (UUID.test(text) ? text.toLowerCase() : text);
