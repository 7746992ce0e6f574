/** How long a browser may take to begin to save a file. */
const SAVING_MS = 60_000;

export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), SAVING_MS);
}

export const csvFile = (text: string): Blob => new Blob([text], { type: 'text/csv;charset=utf-8' });

/** The name of a file with what it has, of whom and of which day, such as `branches-payfair-2026-11-25.csv`. */
export function fileName(ending: string, ...parts: string[]): string {
  // The locale of Sweden writes dates as ISO 8601 does.
  const words = [...parts, new Intl.DateTimeFormat('sv-SE').format()].map((part) =>
    part
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 60),
  );
  return `${words.filter(Boolean).join('-')}.${ending}`;
}
