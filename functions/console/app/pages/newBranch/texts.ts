export const texts = {
  title: 'New branch',
  notAllowed: (acquirer: string) =>
    `As a viewer of ${acquirer} you can see everything, but not create a branch. Ask an admin to make you an operator.`,
  restored: 'This is what you typed before.',
  branch: 'Branch',
  payment_provider: 'For which of your partners?',
  distributor: 'Only if a partner looks after this branch for you.',
  business: {
    title: 'Business',
    kind: 'Who owns the branch?',
    kinds: { existing: { name: 'A business that you have' }, new: { name: 'A new business' } },
    choose: 'Business',
    find: 'Type a part of its name or business ID',
    providerFirst: 'Choose the payment provider first.',
    id: 'Letters and digits. You choose it, once for each business.',
  },
  terminals: 'Terminals',
  noTerminals: 'You can also add terminals later, to the finished branch.',
  submit: 'Create branch',
  clear: 'Clear the form',
  faulty: 'Some fields need a correction: they are marked.',
};
