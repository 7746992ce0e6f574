import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { UUID } from '../../../lib/base/mid.ts';
import type { NameOf } from './eventText.ts';
import { suggestion, withName } from './names.ts';
import { list, nameAndId } from './output.ts';
import type { Service } from './session.ts';
import { Stop } from './stop.ts';

/** Suggests acquirers with a similar name; empty without any. */
export const similarAcquirers = async ({ listAcquirers }: Service, text: string): Promise<string> =>
  suggestion(text, await listAcquirers());

/**
 * Gets an acquirer by its id or its name.
 *
 * @throws Stop when there is none, with similar names, or more than one, with their ids.
 */
export async function acquirerNamed({ listAcquirers }: Service, text: string): Promise<Keyring> {
  const all = await listAcquirers();
  const [found, ...others] = withName(all, text);
  if (found && others.length === 0) return found;
  if (found)
    throw new Stop(
      `${1 + others.length} acquirers are named "${found.name}". Name one by its id: ${list([found, ...others].map(({ id, type }) => `${id} (${type})`))}.`,
    );
  if (UUID.test(text)) throw new Stop(`There is no acquirer ${text.toLowerCase()}.`);
  throw new Stop(`There is no acquirer "${text}".${suggestion(text, all) || ' "acquirers list" shows all.'}`);
}

/** Names acquirers by their ids; an unknown one is shown as its id. */
export async function namesOfAcquirers({ listAcquirers }: Service, nameOf = nameAndId): Promise<NameOf> {
  const names = new Map((await listAcquirers()).map((acquirer) => [acquirer.id, nameOf(acquirer)]));
  return (id) => names.get(id) ?? id;
}
