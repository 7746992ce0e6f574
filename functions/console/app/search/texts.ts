export const texts = {
  label: 'Find a terminal or a branch',
  placeholder: 'Terminal ID, serial number, MID, or words of a branch',
  shortcut: 'Ctrl K',
  shortcutMac: '⌘ K',
  terminals: 'Terminals',
  branches: 'Branches',
  at: (branch: string) => `at ${branch}`,
  all: (count: string) => `Show all ${count} branches`,
  searching: 'Searching…',
  nothing: (text: string) =>
    `Nothing found for “${text}”. IDs and serial numbers must be complete; of names, the beginnings of words are enough.`,
  failed: 'Search failed. Change the text to retry.',
  clear: 'Clear',
};
