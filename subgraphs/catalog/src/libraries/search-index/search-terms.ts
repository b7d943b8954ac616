import { indexTokens, minFuzzyLength, spellings } from "./capability-match.js";
import { maxPlaces, termKinds } from "./term-kinds.js";

export interface CapabilityText {
  readonly name: string;
  readonly contract: string | null;
}

interface PostedTerm {
  readonly kind: number;
  readonly term: string;
  /** Ones and zeros, as PostgreSQL writes a bit string. */
  readonly places: string;
}

/** Only characters that normalization expands to many letters reach this limit; an index row holds 2,704 bytes. */
const maxTermLength = 256;
const maxSimilarLength = 64;

/** The term for words in order, joined by spaces. */
export function sequenceTerm(words: readonly string[]): string {
  return bounded(words.join(" "));
}

/** The term, cut to the length that an index row can hold. */
export function bounded(term: string): string {
  return term.length <= maxTermLength
    ? term
    : Array.from(term)
        .slice(0, maxTermLength / 2)
        .join("");
}

/** An entry's terms, each once. */
export function postedTerms(capabilities: readonly CapabilityText[]): PostedTerm[] {
  const places = new Map<string, Set<number>>();
  const post = (kind: number, term: string, place: number) => {
    if (term === "") return;
    const termPlaces = places.get(`${kind}${term}`);
    if (termPlaces) termPlaces.add(place);
    else places.set(`${kind}${term}`, new Set([place]));
  };
  for (const [place, { name, contract }] of capabilities.slice(0, maxPlaces).entries()) {
    for (const words of spellings(name)) post(termKinds.name, sequenceTerm(words), place);
    for (const words of spellings(contract ?? "")) post(termKinds.contract, sequenceTerm(words), place);
    for (const word of indexTokens(`${name} ${contract ?? ""}`)) post(termKinds.word, bounded(word), place);
  }
  return [...places].map(([key, at]) => ({ kind: Number(key.charAt(0)), term: key.slice(1), places: bits(at) }));
}

function bits(places: ReadonlySet<number>): string {
  return Array.from({ length: maxPlaces }, (_, place) => (places.has(place) ? "1" : "0")).join("");
}

/** The word, and the word without each one of its UTF-16 code units: two similar words share such a spelling. */
export function spellingsOf(word: string): string[] {
  const shorter = Array.from({ length: word.length }, (_, at) => word.slice(0, at) + word.slice(at + 1));
  // PostgreSQL cannot store half a surrogate pair; the replacement character only adds candidates
  return [...new Set([word, ...shorter].map((spelling) => spelling.replaceAll(/\p{Surrogate}/gu, "\ufffd")))];
}

/** Whether a typing error can lead to this word. */
export function isSimilarWord(word: string): boolean {
  return word.length >= minFuzzyLength - 1 && word.length <= maxSimilarLength;
}

/** The lowest text above all texts with this prefix, in byte order. Undefined if no such text exists. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last === 0x10ffff) continue;
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
