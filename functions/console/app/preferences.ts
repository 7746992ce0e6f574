/* What the console remembers in the browser, beside the appearance and an interrupted import. */

const ACQUIRER = 'console-acquirer';

/** The acquirer as which the person acted last. A browser that stores nothing has none. */
export function rememberedAcquirer(): string | null {
  try {
    return localStorage.getItem(ACQUIRER);
  } catch {
    return null;
  }
}

export function rememberAcquirer(id: string): void {
  try {
    localStorage.setItem(ACQUIRER, id);
  } catch {
    // The next visit begins with the first acquirer.
  }
}
