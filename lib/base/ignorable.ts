/**
 * A text without characters that Unicode says to ignore in display, such as the marks of direction that a phone's address
 * book puts around a number. Not for names: in some scripts and emoji, they join letters.
 */
export const withoutIgnorable = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}+/gu, '');
