// tables: search_frameworks, search_words

/** A framework or a word; the other one is null. */
export interface VocabularyRow {
  framework: string | null;
  word: string | null;
}

/** The tenant's frameworks, and its words that share a spelling in `$2`. */
export const vocabularyStatement = `select framework, null as word from search_frameworks where tenant_id = scope.tenant
  union all
  select null, word from search_words where tenant_id = scope.tenant and spelling = any($2::text[])`;
