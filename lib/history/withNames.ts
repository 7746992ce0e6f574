import type { Event } from '../events/event.ts';
import { namesOfPeople } from '../people/namesOfPeople.ts';

/**
 * Adds the names of people to events of an acquirer: see namesOfPeople. Costs a read only if a person made one of the
 * changes.
 */
export async function withNames(acquirer: string, events: Event[]): Promise<Event[]> {
  const names = await namesOfPeople(
    acquirer,
    events.flatMap(({ by }) => by.person?.id ?? []),
  );
  return events.map((event) => {
    const { person } = event.by;
    return person
      ? { ...event, by: { ...event.by, person: { ...person, name: names.get(person.id) ?? null } } }
      : event;
  });
}
