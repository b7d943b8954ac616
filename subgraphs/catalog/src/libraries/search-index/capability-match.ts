/**
 * How well a capability matches a query, best first: 1 the name, 2 the contract, 3 the first parts of the dotted name,
 * 4 all words, 5 all words where the last one is only the beginning of a word, 6 one typing error in one word.
 */
type CapabilityTier = 1 | 2 | 3 | 4 | 5 | 6;

interface CapabilityText {
  readonly name: string;
  readonly contract: string | null;
}

const separators = /[\s._\-/:]+/u;
// "publishMessage" | "HTTPClient": before a capital after a small letter, and before the last capital in a run
const wordStarts = /(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** A name's words, in order: split at separators and capitals, compatibility forms folded, lower case. */
export function normalizeTokens(text: string): string[] {
  return wholeTokens(text)
    .flatMap((token) => token.split(wordStarts))
    .map(lower);
}

/** The words to index for a text: each compound word as a whole, and its parts. */
export function indexTokens(text: string): string[] {
  return [...new Set([...wholeTokens(text).map(lower), ...normalizeTokens(text)])];
}

/** A capability's tier for a query, or undefined. Tier 6 counts only where no capability reaches a better one. */
export function matchCapability(query: string, { name, contract }: CapabilityText): CapabilityTier | undefined {
  const queryWords = normalizeTokens(query);
  if (queryWords.length === 0) return undefined;
  if (sameWords(query, name)) return 1;
  if (contract !== null && sameWords(query, contract)) return 2;
  if (spellings(query).some((words) => spellings(name).some((nameWords) => startsWithWords(nameWords, words))))
    return 3;
  const offeredWords = new Set(indexTokens(`${name} ${contract ?? ""}`));
  const tiers = spellings(query).flatMap((words) => wordTier(words, offeredWords) ?? []);
  return tiers.length === 0 ? undefined : (Math.min(...tiers) as CapabilityTier);
}

function wordTier(words: readonly string[], offeredWords: ReadonlySet<string>): CapabilityTier | undefined {
  const missing = words.filter((word) => !offeredWords.has(word));
  const [only] = missing;
  if (only === undefined) return 4;
  if (missing.length > 1) return undefined;
  if (only === words.at(-1) && [...offeredWords].some((word) => word.startsWith(only))) return 5;
  return only.length >= minFuzzyLength && [...offeredWords].some((word) => isOneEditAway(only, word)) ? 6 : undefined;
}

/** Shorter words are not matched with typing errors: one letter makes them another word. */
export const minFuzzyLength = 5;

/** A text's words, with compound words as a whole, and with their parts: `OAuth` may be one word or two. */
export function spellings(text: string): string[][] {
  return [wholeTokens(text).map(lower), normalizeTokens(text)];
}

function sameWords(a: string, b: string): boolean {
  return spellings(a).some((left) =>
    spellings(b).some((right) => left.length === right.length && startsWithWords(left, right)),
  );
}

function startsWithWords(words: readonly string[], start: readonly string[]): boolean {
  return start.length <= words.length && start.every((word, index) => word === words[index]);
}

function wholeTokens(text: string): string[] {
  return text.normalize("NFKC").split(separators).filter(Boolean);
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** Whether two words differ in one letter: added, removed, changed, or swapped with its neighbor. */
export function isOneEditAway(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (restA.length !== restB.length)
    return restA.length > restB.length ? restA.slice(1) === restB : restA === restB.slice(1);
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return isSwapped || restA.slice(1) === restB.slice(1);
}
