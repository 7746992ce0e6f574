/**
 * Checks cases one after another.
 *
 * @throws Error that names each case that fails, with what is wrong with it.
 */
export async function checkEach<T>(
  cases: Iterable<readonly [name: string, value: T]>,
  check: (value: T, name: string) => Promise<void>,
): Promise<void> {
  let checked = 0;
  const failures: string[] = [];
  for (const [name, value] of cases) {
    checked += 1;
    await check(value, name).catch((error: Error) => failures.push(`${name}:\n${error.message}`));
  }
  if (checked === 0) throw new Error('There is no case.');
  if (failures.length > 0) throw new Error(`${failures.length} of ${checked} cases fail.\n\n${failures.join('\n\n')}`);
}
