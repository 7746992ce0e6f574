/** What a drop-down offers: names by their ids, sorted. Those of the same name also have the beginning of their id. */
export function choicesOf(named: Map<string, string>): [id: string, label: string][] {
  const names = [...named.values()];
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  const end = (id: string) => id.replace(/^\w+\./, '').slice(0, 12);
  return [...named]
    .map(([id, name]): [string, string] => [id, isUnique(name) ? name : `${name} (${end(id)})`])
    .sort(([, one], [, other]) => one.localeCompare(other));
}
