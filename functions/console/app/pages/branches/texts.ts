export const texts = {
  title: 'Branches',
  count: (count: string, isOne: boolean) => (isOne ? '1 branch' : `${count} branches`),
  matches: (count: string, isOne: boolean) => (isOne ? '1 branch matches' : `${count} branches match`),
  new: 'New branch',
  import: 'Import',
  export: 'Export',
  search: 'Search branches',
  placeholder: 'Words of a name, city or business, or a MID',
  clear: 'Clear the search',
  unsearchable: 'Type 1 to 5 words, each of at least 2 letters or digits.',
  place: 'Place',
  business: 'Business',
  empty: {
    title: 'There are no branches yet',
    detail: 'Create the first one, or import a list of branches and terminals.',
    forViewers: 'An operator or admin can create or import them.',
  },
  nothing: {
    title: (search: string) => `No branch matches “${search}”`,
    detail:
      'Each word must begin a word of the branch’s name, area, city or business, or begin its MID or business ID. Case and accents do not matter.',
  },
};
