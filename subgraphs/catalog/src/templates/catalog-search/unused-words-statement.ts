import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { spellingsOf } from "../../libraries/search-index/search-terms.js";
import { inParts } from "../../libraries/search-index/search-words-statement.js";
import { termKinds } from "../../libraries/search-index/term-kinds.js";
import { textWeights } from "./document-terms.js";

// tables: search_words, search_postings, catalog_terms

/** Finds out whether `word` stands in no text whose words are found despite a typing error. */
const isUnused = (
  word: string,
) => `not exists (select from catalog_terms where tenant_id = $1 and term = ${word} collate "C"
    and weight > ${textWeights.Description})
  and not exists (select from search_postings where tenant_id = $1 and kind = ${termKinds.word} and term = ${word} collate "C")`;

/**
 * Removes the words that no document has any more. A word that another transaction has locked stays, because that
 * transaction adds it to a document.
 */
export async function dropUnusedWords(
  { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
  words: readonly string[],
): Promise<void> {
  if (words.length === 0) return;
  const lockedWords = await execute<{ word: string }>(
    `select word from search_words where tenant_id = $1 and spelling = any($2::text[]) and word = spelling
       and ${isUnused("search_words.word")} for update skip locked`,
    [tenant.uuid, words],
  );
  const spellings = lockedWords.flatMap(({ word }) => spellingsOf(word).map((spelling) => ({ spelling, word })));
  // this reads anew whether a word is unused: a document may have got it before the lock
  for (const rows of inParts(spellings))
    await execute(
      `delete from search_words stored using unnest($2::text[], $3::text[]) dropped(spelling, word)
       where stored.tenant_id = $1 and stored.spelling = dropped.spelling and stored.word = dropped.word
         and ${isUnused("dropped.word")}`,
      [tenant.uuid, rows.map(({ spelling }) => spelling), rows.map(({ word }) => word)],
    );
}
