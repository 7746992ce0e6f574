import { useActing, useMay } from '../session/session.ts';
import { type Event, useApiKeys } from './data.ts';

export const FORMER = 'A former colleague';

interface NamedKey {
  label: string | null;
  ends_with?: string | null | undefined;
}

/** A key as people tell it from others: after a rotation, two have the same label. */
export const keyText = ({ label, ends_with }: NamedKey): string => `“${label}”${ends_with ? ` …${ends_with}` : ''}`;

export const keyName = (key: NamedKey): string => `API key ${keyText(key)}`;

/**
 * Returns how to find a key by its id, with the label as of then. Its last characters are known of keys that have not
 * ended, and to admins only.
 */
export function useKeyOf(): (key_id: string, label?: string | null) => NamedKey {
  const { data: keys = [] } = useApiKeys(useMay('administer'));
  return (id, label = null) => keys.find(({ key_id }) => key_id === id) ?? { label: label ?? id };
}

/** Returns how to name who made a change: a person, a key, or another acquirer. */
export function useAuthorOf(): (event: Event) => string {
  const own = useActing().acquirer.id;
  const keyOf = useKeyOf();
  return ({ by }) => {
    if (by.acquirer !== own) return by.acquirer_name;
    if (by.person) return by.person.name ?? FORMER;
    return by.key_id === null ? by.acquirer_name : keyName(keyOf(by.key_id, by.key_label));
  };
}
