/** How many cases that fail are told, and how many characters of each. */
const MOST_TOLD = 20;
const MOST_CHARACTERS = 1_500;

/**
 * Checks cases one after another.
 *
 * @throws Error that names the cases that fail, with what is wrong with them.
 */
export async function checkEach<T>(
  cases: Iterable<readonly [name: string, value: T]>,
  check: (value: T, name: string) => Promise<void>,
): Promise<void> {
  let checked = 0;
  const failures: string[] = [];
  for (const [name, value] of cases) {
    checked += 1;
    await check(value, name).catch(({ message }: Error) =>
      failures.push(`${name}:\n${message.slice(0, MOST_CHARACTERS)}`),
    );
  }
  if (checked === 0) throw new Error('There is no case.');
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${checked} cases fail.\n\n${failures.slice(0, MOST_TOLD).join('\n\n')}`);
}
