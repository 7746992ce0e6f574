import { useState } from 'react';
import { useDialog } from './address.ts';

/**
 * The dialog that is open and the item of a list that it is about, as `?do=action:id`. The item stays as long as the
 * dialog, also if it is gone meanwhile: then the person learns that.
 */
export function useItemDialog<Item>(items: Item[] | undefined, idOf: (item: Item) => string) {
  const [dialog, open, close] = useDialog();
  const [action, id] = dialog?.split(':') ?? [];
  const [last, setLast] = useState<Item>();
  const found = items?.find((item) => idOf(item) === id);
  if (found && found !== last) setLast(found);
  const item = found ?? (last && idOf(last) === id ? last : undefined);
  return { action, item, open: (name: string, of = '') => open(of ? `${name}:${of}` : name), close };
}
