import { guideUrl } from '../../shared/guide.ts';

/** What people call about. `{…}` in a step is a link to a view. */
const calls: { title: string; steps: string[]; guide: string }[] = [
  {
    title: 'The terminal at a shop is dead',
    steps: [
      'Type the ID on its sticker, or words of the shop, into the search box.',
      'Open the terminal. Its timeline says what happened to it, and who did it.',
      'If it is archived, restore it. If it is at another branch, move it.',
    ],
    guide: guideUrl('find-a-terminal'),
  },
  {
    title: 'A shop closes',
    steps: [
      'Find the shop in {branches}.',
      'If its terminals go to another shop, move them first.',
      'Archive the branch. Its terminals are archived with it. You can undo that.',
    ],
    guide: guideUrl('close-a-shop'),
  },
  {
    title: 'A device was swapped',
    steps: [
      'Find the terminal by its ID or its old serial number.',
      'If the new device takes over the terminal ID, choose Swap device, and type the new serial number.',
      'If it has an ID of its own, add it to the branch, then archive the old terminal.',
    ],
    guide: guideUrl('swap-a-terminal'),
  },
  {
    title: 'Import a list of shops',
    steps: [
      'Open {import}, and choose a CSV file.',
      'Check that each column has the right field. The console checks all rows, and stores nothing.',
      'Import the good rows. You can close the tab and continue later: no row is created twice.',
    ],
    guide: guideUrl('import-your-estate'),
  },
  {
    title: 'An employee leaves',
    steps: [
      'An admin opens {people}, and removes them. It applies within 30 seconds.',
      'If they knew an API key, the admin rotates it in {keys}.',
    ],
    guide: `${guideUrl('people-and-roles')}#change-or-remove-a-person`,
  },
  {
    title: 'A key has leaked',
    steps: [
      'An admin opens {keys}, creates another key for the program, and revokes the leaked one.',
      'To see what was changed with it, choose it in the filter of {activity}.',
    ],
    guide: `${guideUrl('api-keys')}#if-a-key-has-leaked`,
  },
];

export const texts = {
  title: 'Help',
  intro: 'What to do, in the words in which people ask for it.',
  calls,
  guideTo: (title: string) => `Guide: ${title}`,
  shortcuts: 'Keyboard shortcuts',
  roles: 'Roles',
  yours: 'Yours',
  support: 'When something fails',
  requestId:
    'The message has a request ID. Copy it, and give it to {support}: it leads to what happened. In a timeline, the button beside a change copies the request ID of that change.',
  supportLink: 'support',
};
