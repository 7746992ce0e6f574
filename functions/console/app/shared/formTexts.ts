/** Texts of the fields that several forms share. */
export const texts = {
  lookup: {
    none: {
      masterMerchants: 'There is no business yet. Create a new one.',
      paymentProviders: 'You have no partners yet. Ask support to add them.',
      distributors: 'You have no partners yet. Ask support to add them.',
      paymentApp: 'There are no payment apps yet. Ask support to add them.',
      acquirers: 'There are no master acquirers yet. Ask support to add them.',
    },
    nothing: (text: string) => `Nothing found for “${text}”. Try another part of the name.`,
    loading: 'Loading…',
    failed: 'The list could not be loaded. Close it and open it again.',
    more: 'There are more. Type a part of the name to see them.',
  },
  /** What a refused field says, by code, where the service's own detail is for developers. */
  refusals: {
    differs: 'The business with this ID has something else here. Clear this field, or use another business ID.',
    not_found: 'You have none with this name or ID. Choose one of yours.',
    not_a_partner: 'This is not one of your partners. Choose one of them.',
  } as Record<string, string>,
  rows: {
    terminal: (number: string) => `Terminal ${number}`,
    add: 'Add a terminal',
    remove: (number: string) => `Remove terminal ${number}`,
    paste: 'To fill several rows, copy cells from a spreadsheet and paste them into a terminal ID.',
    leftOut: (lines: string, most: string) => `${lines} lines were left out: ${most} terminals can be added at once.`,
  },
};
