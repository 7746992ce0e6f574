/**
 * A text without what Unicode says is ignorable: joiners, directional marks, soft hyphens, variation selectors. Nobody
 * sees it, and address books, web pages and spreadsheets add it. Not for names: in some scripts and emoji, it joins
 * letters.
 */
export const withoutInvisible = (text: string): string => text.replace(/\p{Default_Ignorable_Code_Point}+/gu, '');

/**
 * An e-mail address without what is invisible in it, but for joiners after letters of other scripts: there they make
 * another domain (RFC 5892, appendix A), which may be somebody else's.
 */
export const withoutInvisibleInAddress = (email: string): string =>
  email
    .replace(/[\p{Default_Ignorable_Code_Point}--[\u200c\u200d]]+/gv, '')
    .replace(/(?<=^|[ -~])[\u200c\u200d]+/g, '');
