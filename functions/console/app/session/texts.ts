export const texts = {
  name: 'Console',
  signIn: 'Sign in',
  signInIntro: 'Find branches and terminals, see what happened to them, and put them right.',
  ended: {
    title: 'Your session has ended',
    detail: 'Sign in again to continue. Everything you typed is still here.',
  },
  again: {
    title: 'Confirm that it is you',
    detail: 'Changes of API keys and people need a sign-in of the last 15 minutes. Everything you typed is still here.',
  },
  signInInWindow: 'Sign in in a new window',
  cancel: 'Cancel',
  signedIn: { title: 'You are signed in', detail: 'You can close this window, and continue where you were.' },
  noAcquirer: {
    title: 'You belong to no acquirer',
    detail: 'Ask an admin of your company to invite you, then open the link that they give you.',
  },
  notYours: {
    title: 'This page belongs to another acquirer',
    detail:
      'You cannot act as the acquirer in this address. Ask one of its admins to invite you, or choose one of yours:',
  },
};
