import { doAtOnce } from "@factory/runtime/threads/long-work";
import { type DocumentTexts, documentTerms, similarWords } from "./document-terms.js";
import { indexedDocuments } from "./indexed-documents.js";

const texts = (more: Partial<DocumentTexts>): DocumentTexts => ({
  name: "a",
  title: null,
  description: null,
  tags: [],
  capabilities: [],
  ...more,
});
const document = (more: Partial<DocumentTexts> & { rows?: number }) => ({
  kind: "Template" as const,
  document_id: "00000000-0000-0000-0000-000000000000",
  row_version: "1",
  is_hidden: false,
  ...texts(more),
  rows: more.rows ?? 0,
});
const words = (count: number, start = "word") => Array.from({ length: count }, (_, turn) => `${start}${turn}x`);

describe("the words of a document", () => {
  it("have the weight of the best text", () => {
    const terms = doAtOnce(
      documentTerms(
        texts({ name: "OrderApi", title: "The orders", tags: ["C#", "orders"], description: "order, of orders" }),
      ),
    );
    expect(Object.fromEntries(terms)).toEqual({
      orderapi: 5,
      order: 5,
      api: 5,
      the: 4,
      orders: 4,
      "c#": 2,
      of: 1,
    });
  });

  it("are at most 2,000, of a part of each text, and 500 of them for typing errors", () => {
    const terms = doAtOnce(documentTerms(texts({ tags: words(60_000), description: "last" })));
    expect(terms.size).toBe(2_000);
    expect(terms.has("last")).toBe(false);
    expect(similarWords(terms)).toHaveLength(500);
    const long = doAtOnce(documentTerms(texts({ description: `${"\u{fdfa}".repeat(4_000)} end` })));
    expect(long.has("end")).toBe(false);
    expect(similarWords(doAtOnce(documentTerms(texts({ description: "described" }))))).toEqual([]);
  });

  it("are looked for in steps of few words, and not beyond the last one that is kept", () => {
    const pauses = (tags: string[], description: string) => {
      const steps = documentTerms(texts({ tags, description }));
      let count = 0;
      while (!steps.next().done) count += 1;
      return count;
    };
    expect(pauses(words(100), words(64, "other").join(" "))).toBeGreaterThanOrEqual(102);
    expect(pauses(words(60_000), "")).toBeLessThanOrEqual(2_002);
  });
});

describe("a step of the index", () => {
  it("ends with the document that reaches the limit, and has at least one", () => {
    const countOf = (documents: Parameters<typeof document>[0][], maxRows: number) =>
      doAtOnce(indexedDocuments(documents.map(document), maxRows)).length;
    const large = { tags: words(400, "x".repeat(30)) };
    expect(countOf([large, large, large], 10_000)).toBe(1);
    expect(countOf([{}, {}, large, {}], 10_000)).toBe(3);
    expect(countOf([{ rows: 10_000 }, {}], 10_000)).toBe(1);
    expect(countOf([{}, {}, {}], 10_000)).toBe(3);
  });
});
