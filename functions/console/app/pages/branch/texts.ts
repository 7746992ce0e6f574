export const texts = {
  details: 'Details',
  terminals: 'Terminals',
  export: 'Export terminals',
  noTerminals: 'This branch has no terminals yet.',
  noMore: 'The branch is archived: restore it to add terminals.',
  actions: { add: 'Add terminals', edit: 'Edit', archive: 'Archive', restore: 'Restore' },
  edit: { title: 'Edit branch', submit: 'Save' },
  archive: {
    title: (name: string) => `Archive ${name}`,
    effect: {
      none: 'It has no terminals. Nobody can add any until you restore it.',
      one: 'Its terminal will be archived too, and is no longer active for processing. Nobody can add terminals until you restore the branch.',
      several: (count: string) =>
        `${count} terminals will be archived too, and are no longer active for processing. Nobody can add terminals until you restore the branch.`,
    },
    submit: 'Archive',
  },
  restore: {
    title: (name: string) => `Restore ${name}`,
    effect:
      'The terminals that were archived with the branch come back: they are active for processing again. Those that were archived by themselves stay archived.',
    submit: 'Restore',
  },
  add: {
    title: (name: string) => `Add terminals to ${name}`,
    submit: (count: string, isOne: boolean) => (isOne ? 'Add 1 terminal' : `Add ${count} terminals`),
  },
  notFound: {
    title: 'There is no such branch',
    detail: (mid: string) =>
      `No branch with the MID ${mid} exists, or it belongs to somebody else. Check the MID: capital and small letters differ. Or look for the branch by its name.`,
    toBranches: 'Search all branches',
  },
};
