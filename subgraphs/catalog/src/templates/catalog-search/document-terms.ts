import type { PausableWork } from "@factory/runtime/threads/long-work";
import { indexTokens, spellings } from "../../libraries/search-index/capability-match.js";
import { bounded, isSimilarWord } from "../../libraries/search-index/search-terms.js";

/** The texts that a search looks in. A word in a text with a greater weight is a better match. */
export const textWeights = { Name: 5, Title: 4, Capability: 3, Tag: 2, Description: 1 } as const;
export type CatalogText = keyof typeof textWeights;

/** A document is found by at most so many words. */
const maxTerms = 2_000;
/** At most so many words in a document are found despite a typing error. */
const maxSimilarWords = 500;
/** The part of a text that is searched, in characters. Only descriptions may be so long. */
const maxText = 4_000;
/** The words in a text between two pauses. */
const wordsAtOnce = 32;

export interface DocumentTexts {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
}

/** Each word in the texts with the greatest weight among the texts that have it. */
export function* documentTerms(texts: DocumentTexts): PausableWork<Map<string, number>> {
  const terms = new Map<string, number>();
  for (const [text, weight] of weightedTexts(texts)) {
    const words = withoutPunctuation(text).split(" ");
    for (const [place, word] of words.entries()) {
      if (place % wordsAtOnce === 0) yield;
      for (const token of indexTokens(word).map(bounded))
        if (terms.size < maxTerms && !terms.has(token)) terms.set(token, weight);
      if (terms.size === maxTerms) return terms;
    }
  }
  return terms;
}

function weightedTexts({ name, title, description, tags, capabilities }: DocumentTexts): [string, number][] {
  return [
    [name, textWeights.Name],
    [title ?? "", textWeights.Title],
    ...capabilities.map((capability): [string, number] => [capability, textWeights.Capability]),
    ...tags.map((tag): [string, number] => [tag, textWeights.Tag]),
    [description ?? "", textWeights.Description],
  ];
}

/** The document's words that a search finds despite a typing error: those that stand not only in its description. */
export function similarWords(terms: ReadonlyMap<string, number>): string[] {
  const words = [...terms].flatMap(([term, weight]) => (hasSpellings(term, weight) ? [term] : []));
  return words.slice(0, maxSimilarWords);
}

export const hasSpellings = (term: string, weight: number): boolean =>
  weight > textWeights.Description && isSimilarWord(term);

/** A query's readings: compound words as a whole, and as their parts. Each reading has each word once. */
export function queryReadings(query: string): string[][] {
  const readings = spellings(withoutPunctuation(query)).map((words) => [...new Set(words.map(bounded))]);
  return [...new Map(readings.map((words) => [words.join(" "), words])).values()].filter(({ length }) => length > 0);
}

/** Signs that belong to language names, as in C# and C++, stay. */
const withoutPunctuation = (text: string) =>
  text
    .slice(0, maxText)
    .normalize("NFKC")
    // normalization may make the text longer
    .slice(0, maxText)
    .replaceAll(/[^\p{L}\p{M}\p{N}#+]+/gu, " ");
