import { placesOf } from '../pages/views.ts';
import { useActing } from '../session/session.ts';
import { useOffered } from '../shared/Actions.tsx';

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * The actions and views that match the beginnings of words. `exact`: index of the first that matches whole words, or
 * -1.
 */
export function useCommands(text: string) {
  const places = placesOf(useActing().acquirer).map((place) => ({ ...place, group: 'Go to', onClick: undefined }));
  const actions = useOffered().map((action) => ({ ...action, group: 'On this page', path: action.label }));
  const typed = wordsOf(text);
  const commands = [...actions, ...places].filter(({ label }) =>
    typed.every((word) => wordsOf(label).some((each) => each.startsWith(word))),
  );
  const isExact = ({ label }: { label: string }) => typed.every((word) => wordsOf(label).includes(word));
  return { commands, exact: typed.length > 0 ? commands.findIndex(isExact) : -1 };
}
