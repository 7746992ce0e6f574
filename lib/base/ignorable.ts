/**
 * What is not shown: characters that Unicode says to ignore in display, and format characters such as the marks of
 * direction that a phone's address book puts around a number.
 */
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu;

/** A text without characters that are not shown. Not for names: in some scripts and emoji, they join letters. */
export const withoutIgnorable = (text: string): string => text.replace(IGNORABLE, '');
