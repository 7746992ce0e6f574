import { observed } from './observed.ts';

const announcement = observed('');

/** Tells those who cannot see the view what has become of their action (WCAG 2.2, 4.1.3). */
export function announce(text: string): void {
  // The same text again would not be read out.
  announcement.set(announcement.get() === text ? `${text} ` : text);
}

/** The last announcement. */
export const useAnnouncement = (): string => announcement.use((text) => text);
