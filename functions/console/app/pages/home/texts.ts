export const texts = {
  title: 'Find a terminal or a branch',
  intro:
    'Type the ID on the sticker of a terminal, its serial number, a MID, or a few words of a branch into the box above.',
  latest: 'Latest changes',
  all: 'All activity',
};
