/** Texts of the fields that several forms share. */
export const texts = {
  lookup: {
    none: 'There is nothing to choose yet. Ask support to add it.',
    nothing: (text: string) => `Nothing found for “${text}”. Try another part of the name.`,
    loading: 'Loading…',
    failed: 'The list could not be loaded. Close it and open it again.',
    more: 'There are more. Type a part of the name to see them.',
    clear: (field: string) => `Clear: ${field}`,
  },
};
