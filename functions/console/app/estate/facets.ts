/* Facets, by which things of the estate are filtered and counted: each thing has one value of each. */

/** The chosen values of each facet. A thing must have one of them, of each facet that has any. */
export type Filters<Facet extends string> = Partial<Record<Facet, readonly string[]>>;

/** Reads the value that a thing has of each facet. */
export type Facets<Thing, Facet extends string> = Record<Facet, (thing: Thing) => string>;

const entriesOf = <Thing, Facet extends string>(facets: Facets<Thing, Facet>) =>
  Object.entries(facets) as [Facet, (thing: Thing) => string][];

/** The facets that are filtered by, each with whether a thing has one of its values. */
export const testsOf = <Thing, Facet extends string>(facets: Facets<Thing, Facet>, filters: Filters<Facet>) =>
  entriesOf(facets)
    .filter(([facet]) => filters[facet]?.length)
    .map(([facet, read]) => {
      const values = new Set(filters[facet]);
      return { facet, test: (thing: Thing) => values.has(read(thing)) };
    });

/** For each facet, how many things each of its values has under all other filters. */
export function countValues<Thing, Facet extends string>(
  facets: Facets<Thing, Facet>,
  filters: Filters<Facet>,
  things: Iterable<Thing>,
): Record<Facet, ReadonlyMap<string, number>> {
  const tests = testsOf(facets, filters);
  const counts = entriesOf(facets).map(([facet, read]) => ({ facet, read, values: new Map<string, number>() }));
  for (const thing of things) {
    const failed = tests.filter(({ test }) => !test(thing));
    if (failed.length > 1) continue;
    for (const { facet, read, values } of counts) {
      if (failed.length === 1 && failed[0]?.facet !== facet) continue;
      const value = read(thing);
      values.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts.map(({ facet, values }) => [facet, values])) as Record<Facet, Map<string, number>>;
}
