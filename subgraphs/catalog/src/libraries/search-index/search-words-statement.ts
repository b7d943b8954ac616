import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { spellingsOf } from "./search-terms.js";

// tables: search_words

type Writer = Pick<Transaction, "execute" | "tenant">;

interface Spelling {
  readonly spelling: string;
  readonly word: string;
}

interface WordsOptions {
  /** The most spellings that the tenant may have after it. More words are left out. Absent: all are added. */
  readonly maxSpellings?: number;
}

/** Rows in one statement. */
const maxRows = 10_000;

/** Adds words in the same order for all writers, so that two writers cannot deadlock. */
export async function addWords(
  { execute, tenant }: Writer,
  words: readonly string[],
  { maxSpellings }: WordsOptions = {},
): Promise<void> {
  if (words.length === 0) return;
  // the lock keeps a word that no document has any more from being removed while a document gets it again
  const storedWords = await execute<{ word: string }>(
    "select word from search_words where tenant_id = $1 and spelling = any($2::text[]) and word = spelling for key share",
    [tenant.uuid, words],
  );
  const present = new Set(storedWords.map(({ word }) => word));
  const unknown = [...new Set(words)].filter((word) => !present.has(word));
  if (unknown.length === 0) return;
  const room = maxSpellings === undefined ? Number.POSITIVE_INFINITY : await roomFor({ execute, tenant }, maxSpellings);
  for (const rows of inParts(spellingsWithin(unknown, room)))
    await execute(
      `insert into search_words (tenant_id, spelling, word)
       select $1, spelling, word from unnest($2::text[], $3::text[]) with ordinality added(spelling, word, place)
       order by place on conflict do nothing`,
      [tenant.uuid, rows.map(({ spelling }) => spelling), rows.map(({ word }) => word)],
    );
}

/** The spellings in parts for one statement each, ordered over all parts. */
export function inParts(spellings: readonly Spelling[]): Spelling[][] {
  const orderedSpellings = spellings.toSorted((a, b) => compared(a.spelling, b.spelling) || compared(a.word, b.word));
  return Array.from({ length: Math.ceil(orderedSpellings.length / maxRows) }, (_, part) =>
    orderedSpellings.slice(part * maxRows, (part + 1) * maxRows),
  );
}

/** The spellings for the first words that are at most `room` together. */
function spellingsWithin(words: readonly string[], room: number): Spelling[] {
  const spellings: Spelling[] = [];
  for (const word of words) {
    const wordSpellings = spellingsOf(word);
    if (spellings.length + wordSpellings.length > room) break;
    for (const spelling of wordSpellings) spellings.push({ spelling, word });
  }
  return spellings;
}

async function roomFor({ execute, tenant }: Writer, maxSpellings: number): Promise<number> {
  const [row] = await execute<{ rows: number }>(
    "select count(*)::int as rows from (select from search_words where tenant_id = $1 limit $2) held",
    [tenant.uuid, maxSpellings],
  );
  return maxSpellings - (row?.rows ?? 0);
}

function compared(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
