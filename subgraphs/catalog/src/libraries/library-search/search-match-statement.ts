import { indexTokens, spellings } from "../search-index/capability-match.js";
import { afterPrefix, bounded, sequenceTerm } from "../search-index/search-terms.js";
import { termKinds } from "../search-index/term-kinds.js";

// tables: search_postings

/** A query in which one word, at the index `at`, may be any of the words `instead`. */
export interface SimilarWords {
  readonly words: readonly string[];
  readonly at: number;
  readonly instead: readonly string[];
}

/** Adds a value to the statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

/** A hit is the tier times this number, plus the capability's place, counted from 1. */
export const tierStep = 1000;
/** The tier for capabilities that hold all words as whole words. */
export const heldTier = 4;
/** The tier for capabilities that match after one word was replaced with a similar one. */
export const similarTier = 6;
/** The columns that posting entries are sorted by. */
export const postingOrder = "unusable, name_key, entry_id";
export const postingColumns = `api_client, ${postingOrder}`;
/**
 * The most words that are joined. Further words are looked up for each entry: a join's planning time grows with its
 * tables.
 */
const joinedWords = 3;

/** Whether a query has at least one word. */
export const hasWords = (query: string) => indexTokens(query).length > 0;

/** A query's only word; undefined where it has several. */
export function onlyWord(query: string): string | undefined {
  const [sequence, ...others] = uniqueSequences(spellings(query));
  return others.length === 0 && sequence?.length === 1 ? bounded(sequence[0] ?? "") : undefined;
}

/** Capabilities whose name or contract equals the query, or whose name begins with it: tiers 1 to 3. */
export function namedBranches(query: string, bind: Bind): string[] {
  const sequences = [...new Set(spellings(query).map(sequenceTerm))];
  const keys = bind(sequences);
  return [
    branch("1", `kind = ${termKinds.name} and term = any(${keys}::text[])`),
    branch("2", `kind = ${termKinds.contract} and term = any(${keys}::text[])`),
    ...sequences.map((sequence) => branch("3", `kind = ${termKinds.name} and ${range(`${sequence} `, bind)}`)),
  ];
}

/** Capabilities that hold all words: tier 4, or tier 5 where the last one is only the beginning of a word. */
export function wordBranches(query: string, bind: Bind): string[] {
  return uniqueSequences(spellings(query)).map((words) => {
    const last = bounded(words.at(-1) ?? "");
    const others = words.slice(0, -1).map(bounded);
    // a word that the query has twice must match as a whole word
    const slot = others.includes(last) ? `term = ${bind(last)}` : range(last, bind);
    return wordBranch({ tier: `case when term = ${bind(last)} then 4 else 5 end`, slot, others }, bind);
  });
}

/** One word's postings, in the order of its entries. */
export const heldBranch = (word: string, bind: Bind) => branch(String(heldTier), `${ofWord} and term = ${bind(word)}`);

/** The postings for all longer words that begin with it. */
export const begunBranch = (word: string, bind: Bind) => branch("5", `${ofWord} and ${range(word, bind, ">")}`);

/** Capabilities that match on tier 6. */
export function similarBranches(similar: readonly SimilarWords[], bind: Bind): string[] {
  return similar.map(({ words, at, instead }) => {
    const others = words.filter((_, index) => index !== at).map(bounded);
    return wordBranch({ tier: String(similarTier), slot: `term = any(${bind(instead)}::text[])`, others }, bind);
  });
}

const ofWord = `kind = ${termKinds.word}`;
const hitOf = (tier: string) => `(${tier}) * ${tierStep} + position(B'1' in places) as hit`;

function branch(tier: string, condition: string): string {
  return `select ${postingColumns}, ${hitOf(tier)} from search_postings
    where tenant_id = scope.tenant and ${condition}`;
}

interface WordSearch {
  readonly tier: string;
  readonly slot: string;
  readonly others: readonly string[];
}

/** Capabilities that hold a word from the slot and, in the same capability, all the others. */
function wordBranch({ tier, slot, others }: WordSearch, bind: Bind): string {
  const words = [...new Set(others)].sort((a, b) => b.length - a.length);
  if (words.length === 0) return branch(tier, `${ofWord} and ${slot}`);
  const joinedParts = words.slice(0, joinedWords).map((word, index) => ({ word, alias: `word_${index}` }));
  const joins = joinedParts.map(
    ({ word, alias }) => `join search_postings ${alias} on ${alias}.term = ${bind(word)} and ${ofSameEntry(alias)}`,
  );
  const rest = words.slice(joinedWords);
  if (rest.length > 0)
    joins.push(`join lateral (
      select bit_and(places) as places from search_postings word
      where term = any(${bind(rest)}::text[]) and ${ofSameEntry("word")}
      having count(*) = ${bind(rest.length)}) rest on true`);
  const places = [
    "slot.places",
    ...joinedParts.map(({ alias }) => `${alias}.places`),
    ...(rest.length > 0 ? ["rest.places"] : []),
  ];
  const columns = postingColumns.replaceAll(/\w+/g, "slot.$&");
  return `select ${postingColumns}, ${hitOf(tier)} from (
      select ${columns}, slot.term, ${places.join(" & ")} as places
      from (select ${postingColumns}, term, places from search_postings
        where tenant_id = scope.tenant and ${ofWord} and ${slot}) slot ${joins.join(" ")}) held
    where position(B'1' in places) > 0`;
}

/** Compares the whole key of the index, so that each word takes one index lookup. */
const ofSameEntry = (alias: string) =>
  [
    `${alias}.tenant_id = scope.tenant and ${alias}.${ofWord}`,
    ...postingColumns.split(", ").map((column) => `${alias}.${column} = slot.${column}`),
  ].join(" and ");

function range(prefix: string, bind: Bind, beyond: ">=" | ">" = ">="): string {
  const from = bounded(prefix);
  const end = afterPrefix(from);
  const above = `term ${beyond} ${bind(from)}`;
  return end === undefined ? above : `${above} and term < ${bind(end)}`;
}

function uniqueSequences(sequences: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(sequences.map((words) => [words.join(" "), words])).values()];
}
