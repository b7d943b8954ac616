import { indexTokens, shortestFuzzy, spellings } from "./capability-match.js";
import { maxPlaces, termKinds } from "./term-kinds.js";

export interface CapabilityText {
  readonly name: string;
  readonly contract: string | null;
}

export interface PostedTerm {
  readonly kind: number;
  readonly term: string;
  /** Ones and zeros, as PostgreSQL writes a bit string. */
  readonly places: string;
}

/** Only compatibility forms that unfold to many letters reach it; an index row holds 2,704 bytes. */
const longestTerm = 256;
const longestSimilar = 64;

/** Words in order; no word holds a space. */
export function sequenceTerm(words: readonly string[]): string {
  return bounded(words.join(" "));
}

export function bounded(term: string): string {
  return term.length <= longestTerm
    ? term
    : Array.from(term)
        .slice(0, longestTerm / 2)
        .join("");
}

/** What the index holds of an entry, each term once. */
export function postedTerms(capabilities: readonly CapabilityText[]): PostedTerm[] {
  const places = new Map<string, Set<number>>();
  const post = (kind: number, term: string, place: number) => {
    if (term === "") return;
    const known = places.get(`${kind}${term}`);
    if (known) known.add(place);
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

/** The word, and what is left of it without each of its letters (as JavaScript counts them, like the match does). */
export function spellingsOf(word: string): string[] {
  const shorter = Array.from({ length: word.length }, (_, at) => word.slice(0, at) + word.slice(at + 1));
  // half a pair of surrogates cannot be stored; what stands for it only adds candidates
  return [...new Set([word, ...shorter].map((spelling) => spelling.replaceAll(/\p{Surrogate}/gu, "\ufffd")))];
}

/** Words that a slip of the pen can lead to. */
export function isSimilarWord(word: string): boolean {
  return word.length >= shortestFuzzy - 1 && word.length <= longestSimilar;
}

/** Below it lies every text that begins like this one, in byte order; undefined: there is no such bound. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.length > 0) {
    const last = points.pop() ?? 0;
    if (last === 0x10ffff) continue;
    return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
  }
  return undefined;
}
