export const texts = {
  name: 'Terminal',
  title: (id: string) => `Terminal ${id}`,
  details: 'Details',
  branch: 'Branch',
  actions: {
    move: 'Move',
    swap: 'Swap device',
    edit: 'Edit',
    archive: 'Archive',
    restore: 'Restore',
    delete: 'Delete',
    more: 'More actions',
  },
  move: {
    title: (id: string) => `Move terminal ${id}`,
    to: 'To branch',
    placeholder: 'Type words of its name, its city or its MID',
    effect: 'The terminal {terminal} moves from {from} to {to}. It stays {status}.',
    none: 'No branch of yours matches.',
    here: 'It is there now',
    submit: 'Move',
    archived: 'Archived branches take no terminals.',
    required: 'Choose a branch.',
  },
  archive: {
    title: (id: string) => `Archive terminal ${id}`,
    effect: 'It is no longer active for processing. You can restore it at any time.',
    reason: 'Why?',
    placeholder: 'For example: Broken screen',
    submit: 'Archive',
  },
  restore: {
    title: (id: string) => `Restore terminal ${id}`,
    effect: 'It is active for processing again, at {branch}.',
    effectArchived: 'It is active for processing again, although its branch {branch} is archived.',
    submit: 'Restore',
  },
  edit: { title: (id: string) => `Edit terminal ${id}`, submit: 'Save' },
  swap: {
    title: (id: string) => `Swap the device of terminal ${id}`,
    effect:
      'For a new device that takes over the terminal ID. The old serial number becomes free. If the new device has a terminal ID of its own, add it to the branch, then archive this one.',
    serial: 'Serial number of the new device',
    submit: 'Swap',
  },
  delete: {
    title: (id: string) => `Delete terminal ${id}`,
    effect:
      'It is removed for good. Its timeline stays readable, and its terminal ID and serial number can be used again. To take it out of service for a while, archive it instead.',
    confirm: 'To confirm, type {id}',
    submit: 'Delete for good',
  },
  gone: {
    title: 'This terminal does not exist',
    detail: 'It was deleted, or it is at a branch that is not accessible to you.',
    known: 'This is what happened to it:',
  },
};
