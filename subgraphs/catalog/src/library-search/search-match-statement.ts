import { indexTokens, spellings } from "../search-index/capability-match.js";
import { afterPrefix, bounded, sequenceTerm } from "../search-index/search-terms.js";
import { termKinds } from "../search-index/term-kinds.js";

// tables: search_postings

/** Words of which one stands for the word of the query that was not found. */
export interface SimilarWords {
  readonly words: readonly string[];
  readonly at: number;
  readonly instead: readonly string[];
}

/** Takes a value of the statement, gives its placeholder. */
export type Bind = (value: unknown) => string;

/** A hit has the tier in the thousands, below it the place of the capability, counted from 1. */
export const tierStep = 1000;
/** All words, none of them begun only. */
export const heldTier = 4;
export const similarTier = 6;
/** What the entry of a posting is sorted by. */
export const postingOrder = "unusable, name_key, entry_id";
export const postingColumns = `api_client, ${postingOrder}`;
/** More words than this are looked up entry by entry instead of being joined: planning a join grows with its tables. */
const joinedWords = 3;

/** Whether a query has a word at all. */
export const hasWords = (query: string) => indexTokens(query).length > 0;

/** The word of a query that has one only, however it is spelt. */
export function onlyWord(query: string): string | undefined {
  const [sequence, ...others] = uniqueSequences(spellings(query));
  return others.length === 0 && sequence?.length === 1 ? bounded(sequence[0] ?? "") : undefined;
}

/** Capabilities that are called like the query or begin so, tiers 1 to 3. */
export function namedBranches(query: string, bind: Bind): string[] {
  const sequences = [...new Set(spellings(query).map(sequenceTerm))];
  const keys = bind(sequences);
  return [
    branch("1", `kind = ${termKinds.name} and term = any(${keys}::text[])`),
    branch("2", `kind = ${termKinds.contract} and term = any(${keys}::text[])`),
    ...sequences.map((sequence) => branch("3", `kind = ${termKinds.name} and ${range(`${sequence} `, bind)}`)),
  ];
}

/** Capabilities that hold all words, tier 4, or all with the last one begun, tier 5. */
export function wordBranches(query: string, bind: Bind): string[] {
  return uniqueSequences(spellings(query)).map((words) => {
    const last = bounded(words.at(-1) ?? "");
    const others = words.slice(0, -1).map(bounded);
    // a word that comes twice is there or is not: it is never begun only
    const slot = others.includes(last) ? `term = ${bind(last)}` : range(last, bind);
    return wordBranch({ tier: `case when term = ${bind(last)} then 4 else 5 end`, slot, others }, bind);
  });
}

/** Postings of one word, in the order of its entries. */
export const heldBranch = (word: string, bind: Bind) => branch(String(heldTier), `${ofWord} and term = ${bind(word)}`);

/** Postings of all longer words that begin with it. */
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

/** Capabilities that hold a word of the slot and, in the same capability, all the others. */
function wordBranch({ tier, slot, others }: WordSearch, bind: Bind): string {
  const words = [...new Set(others)].sort((a, b) => b.length - a.length);
  if (words.length === 0) return branch(tier, `${ofWord} and ${slot}`);
  const joined = words.slice(0, joinedWords).map((word, index) => ({ word, alias: `word_${index}` }));
  const joins = joined.map(
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
    ...joined.map(({ alias }) => `${alias}.places`),
    ...(rest.length > 0 ? ["rest.places"] : []),
  ];
  const columns = postingColumns.replaceAll(/\w+/g, "slot.$&");
  return `select ${postingColumns}, ${hitOf(tier)} from (
      select ${columns}, slot.term, ${places.join(" & ")} as places
      from (select ${postingColumns}, term, places from search_postings
        where tenant_id = scope.tenant and ${ofWord} and ${slot}) slot ${joins.join(" ")}) held
    where position(B'1' in places) > 0`;
}

/** Names the whole key of the index: one step into it per word. */
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
