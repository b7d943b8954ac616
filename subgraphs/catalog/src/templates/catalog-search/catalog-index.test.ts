import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { addWords } from "../../libraries/search-index/search-words-statement.js";
import { aCatalogCaller, aCatalogSearch } from "./catalog-search.fixture.js";
import type { CatalogSearchService } from "./catalog-search.service.js";
import { dropUnusedWords } from "./unused-words-statement.js";

let catalog: Awaited<ReturnType<typeof aCatalogSearch>>;
beforeAll(async () => {
  catalog = await aCatalogSearch();
});
afterAll(() => catalog.close());

const names = async (caller: RequestContext, text: string, service = catalog.search) =>
  (await service.search(caller, { text })).results.map(({ name }) => name);
const isComplete = async (caller: RequestContext, service: CatalogSearchService) =>
  (await service.search(caller, { text: "anything" })).complete;
const template = (caller: RequestContext, name: string, title?: string) =>
  catalog.templates.register(caller, { name, ...(title === undefined ? {} : { title }) });
const aVersion = (caller: RequestContext, templateId: string, description: object) =>
  catalog.drafts(description).create(caller, templateId, {
    semanticVersion: "1.0.0",
    sourceRef: "stored://a",
    engineKind: "DotnetNewTemplatePack",
    targetFramework: "net8.0",
  });
const rowsOf = async (caller: RequestContext, sql: string, ...values: unknown[]): Promise<number> => {
  const { rows } = await catalog.admin.query(`select count(*)::int as rows from ${sql}`, [
    tenantOf(caller).uuid,
    ...values,
  ]);
  return rows[0].rows;
};
const hasWord = async (caller: RequestContext, word: string) =>
  (await rowsOf(caller, "search_words where tenant_id = $1 and word = $2", word)) > 0;
const transaction = <T>(caller: RequestContext, work: (transaction: Transaction) => Promise<T>) =>
  catalog.database.transaction(tenantOf(caller), { trace: continueTrace(undefined) }, work);

describe("the index of the catalog search", () => {
  it("has a part of the texts of a content, however long they are", async () => {
    const caller = aCatalogCaller();
    const { templateId } = await template(caller, "large");
    const many = (start: string) => Array.from({ length: 5_000 }, (_, turn) => `${start}${turn}`);
    await aVersion(caller, templateId, {
      name: `Huge ${"x".repeat(50_000)}`,
      description: "y ".repeat(30_000),
      shortNames: ["z".repeat(20_000), null, ...many("short")],
      classifications: many("class"),
      language: "C#".repeat(1_000),
    });
    const { results, complete } = await catalog.search.search(caller, { text: "huge" });
    expect(complete).toBe(true);
    const [{ tags, title, description } = { tags: [], title: "", description: "" }] = results;
    expect(tags).toHaveLength(24 + 25 + 1);
    expect(Math.max(...tags.map(({ length }) => length))).toBe(100);
    expect([title?.length, description?.length]).toEqual([200, 1_000]);
    expect(await names(caller, "short5")).toEqual(["large"]);
    expect(await names(caller, "class4000")).toEqual([]);
    expect(await rowsOf(caller, "search_words where tenant_id = $1")).toBeLessThan(2_000);
  });

  it("takes texts of a content that are not what they should be", async () => {
    const caller = aCatalogCaller();
    const { templateId } = await template(caller, "odd");
    await aVersion(caller, templateId, { name: ["x"], shortNames: { a: 1 }, classifications: null, language: 5 });
    expect(await names(caller, "odd")).toEqual(["odd"]);
  });

  it("is brought further by each search, though its patience is over", async () => {
    const caller = aCatalogCaller();
    for (let turn = 0; turn < 120; turn += 1) await template(caller, `payment-${turn}`);
    const hasty = catalog.searchWith({ patienceMs: 0 });
    const staleRows = async () => {
      await hasty.search(caller, { text: "payment" });
      return rowsOf(caller, "templates where tenant_id = $1 and search_stale");
    };
    expect([await staleRows(), await staleRows()]).toEqual([70, 20]);
    expect(await hasty.search(caller, { text: "payment" })).toMatchObject({ total: 120, complete: true });
  });

  it("has all other documents, though one cannot be written", async () => {
    const caller = aCatalogCaller();
    for (const name of ["first-shop", "broken-shop", "last-shop"]) await template(caller, name);
    const service = catalog.searchWith({});
    await catalog.admin.query(
      "alter table catalog_documents add constraint broken check (name <> 'broken-shop') not valid",
    );
    try {
      expect((await names(caller, "shop", service)).sort()).toEqual(["first-shop", "last-shop"]);
      expect(await isComplete(caller, service)).toBe(false);
      await template(caller, "later-shop");
      expect(await names(caller, "later", service)).toEqual(["later-shop"]);
    } finally {
      await catalog.admin.query("alter table catalog_documents drop constraint broken");
    }
    expect(await isComplete(caller, service)).toBe(true);
    expect(await names(caller, "broken", service)).toEqual(["broken-shop"]);
  });

  it("has the texts that were committed between its reading and its writing", async () => {
    const caller = aCatalogCaller();
    const { templateId } = await template(caller, "api");
    await aVersion(caller, templateId, { name: "Gateway" });
    let changes = 1;
    const database: Pick<Database, "reader" | "transaction"> = {
      reader: catalog.database.reader,
      transaction: async (...parameters: Parameters<Database["transaction"]>) => {
        if (changes > 0) {
          changes -= 1;
          // as a first read of the content does it, on its own connection
          await catalog.admin.query(
            `with pinned as (update template_versions set details = $2 where template_id = $1 returning template_id)
             update templates set search_stale = true where template_id in (select template_id from pinned)`,
            [
              decodeId("tpl", templateId),
              JSON.stringify({ description: { name: "Proxy", shortNames: [], classifications: [] } }),
            ],
          );
        }
        return catalog.database.transaction(...parameters);
      },
    } as Pick<Database, "reader" | "transaction">;
    const search = catalog.searchWith({ database });
    expect(await isComplete(caller, search)).toBe(false);
    expect(changes).toBe(0);
    expect(await names(caller, "proxy", search)).toEqual(["api"]);
    expect(await names(caller, "gateway", search)).toEqual([]);
  });

  it("is made once for searches that come at the same time", async () => {
    const caller = aCatalogCaller();
    for (let turn = 0; turn < 5; turn += 1) await template(caller, `ledger-${turn}`);
    let transactions = 0;
    const database = {
      reader: catalog.database.reader,
      transaction: async (...parameters: Parameters<Database["transaction"]>) => {
        transactions += 1;
        return catalog.database.transaction(...parameters);
      },
    } as Pick<Database, "reader" | "transaction">;
    const service = catalog.searchWith({ database });
    const searches = Array.from({ length: 8 }, () => names(caller, "ledger", service));
    expect((await Promise.all(searches)).map(({ length }) => length)).toEqual(Array(8).fill(5));
    expect(transactions).toBe(1);
  });
});

describe("the vocabulary for typing errors", () => {
  it("loses the words that no document has any more", async () => {
    const caller = aCatalogCaller();
    const { libraryId } = await catalog.libraries.register(caller, {
      packageName: "Polly",
      capabilities: [{ name: "resilience" }, { name: "retries" }],
    });
    await catalog.libraries.register(caller, { packageName: "Other", capabilities: [{ name: "retries" }] });
    expect(await names(caller, "resilienec")).toEqual(["Polly"]);
    await catalog.libraries.changeCapabilities(caller, libraryId, { remove: ["resilience", "retries"] });
    expect(await names(caller, "polly")).toEqual(["Polly"]);
    expect(await hasWord(caller, "resilience")).toBe(false);
    expect(await hasWord(caller, "retries")).toBe(true);
    expect(await names(caller, "retriex")).toEqual(["Other"]);
  });

  it("keeps a word that a document gets while it is removed, whichever is first", async () => {
    const caller = aCatalogCaller();
    const add = (tx: Transaction) => addWords(tx, ["gateway"]);
    const drop = (tx: Transaction) => dropUnusedWords(tx, ["gateway"]);
    await transaction(caller, add);
    await transaction(caller, async (adding) => {
      await add(adding);
      await transaction(caller, drop);
    });
    expect(await hasWord(caller, "gateway")).toBe(true);
    let addition: Promise<void> | undefined;
    await transaction(caller, async (dropping) => {
      await drop(dropping);
      addition = transaction(caller, add);
      await isWaiting();
    });
    await addition;
    expect(await rowsOf(caller, "search_words where tenant_id = $1 and word = 'gateway'")).toBe(8);
    await transaction(caller, drop);
    expect(await hasWord(caller, "gateway")).toBe(false);
  });

  it("has no more spellings than it may have", async () => {
    const caller = aCatalogCaller();
    const words = Array.from({ length: 50 }, (_, turn) => `word${turn + 10}`);
    await transaction(caller, (tx) => addWords(tx, words, { maxSpellings: 100 }));
    await transaction(caller, (tx) => addWords(tx, ["another", ...words], { maxSpellings: 100 }));
    // a word with a double letter has one spelling less
    expect(await rowsOf(caller, "search_words where tenant_id = $1")).toBe(12 * 7 + 2 * 6);
  });
});

/** Until a statement waits for another transaction's lock. */
async function isWaiting(): Promise<void> {
  for (;;) {
    const { rows } = await catalog.admin.query(
      "select from pg_locks where not granted and locktype in ('transactionid', 'tuple')",
    );
    if (rows.length > 0) return;
  }
}
