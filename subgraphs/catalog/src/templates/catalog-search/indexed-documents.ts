import type { PausableWork } from "@factory/runtime/threads/long-work";
import { documentTerms, similarWords } from "./document-terms.js";
import type { StaleDocument } from "./stale-documents-statement.js";

/** A document with the words that find it. */
export interface IndexedDocument {
  readonly document: StaleDocument;
  readonly terms: ReadonlyMap<string, number>;
  /** The document's words that are found despite a typing error. */
  readonly words: readonly string[];
}

/** The first documents with their words, as many as need about `maxRows` rows together, and at least one. */
export function* indexedDocuments(
  documents: readonly StaleDocument[],
  maxRows: number,
): PausableWork<IndexedDocument[]> {
  const result: IndexedDocument[] = [];
  let rows = 0;
  for (const document of documents) {
    if (rows >= maxRows) break;
    const terms = document.is_hidden ? new Map<string, number>() : yield* documentTerms(document);
    const words = similarWords(terms);
    result.push({ document, terms, words });
    rows += terms.size + document.rows;
    for (const word of words) rows += word.length + 1;
  }
  return result;
}
