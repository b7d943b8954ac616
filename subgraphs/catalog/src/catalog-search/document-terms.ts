import { indexTokens, spellings } from "../search-index/capability-match.js";
import { bounded } from "../search-index/search-terms.js";

/** The texts that a search looks in. A word in a text of a greater weight is a better match. */
export const textWeights = { Name: 5, Title: 4, Capability: 3, Tag: 2, Description: 1 } as const;
export type CatalogText = keyof typeof textWeights;

/** A document is found by at most so many words. */
const maxTerms = 2_000;
/** The part of a description that is searched, in characters. */
const maxDescription = 4_000;

export interface DocumentTexts {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
}

/** Each word of the texts with the greatest weight of a text that has it. */
export function documentTerms({ name, title, description, tags, capabilities }: DocumentTexts): Map<string, number> {
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of indexTokens(withoutPunctuation(text)))
      if (terms.size < maxTerms && !terms.has(bounded(word))) terms.set(bounded(word), weight);
  };
  add(name, textWeights.Name);
  add(title ?? "", textWeights.Title);
  for (const capability of capabilities) add(capability, textWeights.Capability);
  for (const tag of tags) add(tag, textWeights.Tag);
  add(description?.slice(0, maxDescription) ?? "", textWeights.Description);
  return terms;
}

/** The readings of a query: compound words as a whole, and as their parts. Each reading has each word once. */
export function queryReadings(query: string): string[][] {
  const readings = spellings(withoutPunctuation(query)).map((words) => [...new Set(words.map(bounded))]);
  return [...new Map(readings.map((words) => [words.join(" "), words])).values()].filter(({ length }) => length > 0);
}

/** Signs that belong to names of languages, as in C# and C++, stay. */
const withoutPunctuation = (text: string) => text.normalize("NFKC").replaceAll(/[^\p{L}\p{M}\p{N}#+]+/gu, " ");
