/** Texts of lists with pages. */
export const texts = {
  sort: 'Order',
  desc: 'Newest first',
  asc: 'Oldest first',
  pastEnd: {
    title: (page: string) => `There is no page ${page}`,
    detail: (last: string) => `The last one is page ${last}.`,
    back: 'Go to the last page',
  },
};
