import MiniSearch from 'minisearch';

/**
 * Words that say nothing about what a reader searches for. VitePress would also highlight them within other words, such as
 * "at" in "estate".
 */
const STOP_WORDS = new Set(
  'a all an and are as at be by can do does for from get has have how i if in into is it its me my of on or our so that the to two we what when where which who why with you your'.split(
    ' ',
  ),
);

/** Lets the beginnings of pages come first: readers search for the page about a word, not for a section that has it. */
const boostDocument = (_id, _term, { titles }) => (titles.length === 0 ? 2 : 1);

/**
 * The search engine of VitePress, which takes the place of the package (config.ts). It ignores stop words, and puts the
 * beginning of a page before the sections of others. As options of VitePress, these functions would be sent to the
 * browser as text, and the site's policy forbids evaluating it.
 */
export default class extends MiniSearch {
  static loadJSON(json, options) {
    const processTerm = (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase());
    const searchOptions = { ...options.searchOptions, boostDocument };
    return MiniSearch.loadJSON(json, { ...options, searchOptions, processTerm });
  }
}
