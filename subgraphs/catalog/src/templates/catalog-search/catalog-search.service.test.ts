import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import fc from "fast-check";
import { TemplateChangeService } from "../templates/template-change.service.js";
import { aCatalogCaller, aCatalogSearch } from "./catalog-search.fixture.js";
import type { SearchCatalogInput } from "./catalog-search.input.js";

let catalog: Awaited<ReturnType<typeof aCatalogSearch>>;
beforeAll(async () => {
  catalog = await aCatalogSearch();
});
afterAll(() => catalog.close());

const search = (caller: RequestContext, input: SearchCatalogInput) => catalog.search.search(caller, input);
const names = async (caller: RequestContext, text: string, input: Partial<SearchCatalogInput> = {}) =>
  (await search(caller, { text, ...input })).results.map(({ name }) => name);
const template = (caller: RequestContext, name: string, more: { title?: string; tags?: string[] } = {}) =>
  catalog.templates.register(caller, { name, category: "Service", ...more });
const library = (caller: RequestContext, packageName: string, capabilities: string[] = [], tags: string[] = []) =>
  catalog.libraries.register(caller, { packageName, tags, capabilities: capabilities.map((name) => ({ name })) });

describe("the catalog search", () => {
  it("finds templates and libraries in one list, the better text first", async () => {
    const caller = aCatalogCaller();
    await library(caller, "Acme.Billing", ["orders.publish"]);
    await library(caller, "Acme.Orders.Client");
    await template(caller, "orders");
    await template(caller, "worker", { title: "A worker for orders" });
    await template(caller, "page", { tags: ["orders"] });
    await template(caller, "other");
    const { results, total, complete } = await search(caller, { text: "orders" });
    expect(results.map(({ name, kind, matchedIn }) => `${kind} ${name} ${matchedIn}`)).toEqual([
      "Template orders Name",
      "Library Acme.Orders.Client Name",
      "Template worker Title",
      "Library Acme.Billing Capability",
      "Template page Tag",
    ]);
    expect({ total, complete }).toEqual({ total: 5, complete: true });
  });

  it("wants each word, and takes the beginning of one", async () => {
    const caller = aCatalogCaller();
    await template(caller, "order-worker", { title: "Receives orders over HTTP" });
    await template(caller, "order-page");
    expect(await names(caller, "ord wor")).toEqual(["order-worker"]);
    expect(await names(caller, "OrderWorker")).toEqual(["order-worker"]);
    expect(await names(caller, "order queue")).toEqual([]);
    expect(await names(caller, "  ,;  ")).toEqual([]);
  });

  it("takes one typing error where nothing else matches, and never beside a match", async () => {
    const caller = aCatalogCaller();
    await library(caller, "Acme.Messaging", ["publish"]);
    await library(caller, "Acme.Massaging");
    expect(await names(caller, "messagign")).toEqual(["Acme.Messaging"]);
    expect(await names(caller, "messaging")).toEqual(["Acme.Messaging"]);
    expect(await names(caller, "acme messagng")).toEqual(["Acme.Messaging"]);
    expect(await names(caller, "mesagign")).toEqual([]);
  });

  it("finds an imported library by a capability that was added after its import, and no longer by a removed one", async () => {
    const caller = aCatalogCaller();
    const { libraryId } = await library(caller, "Polly", ["retry"]);
    expect(await names(caller, "resilience")).toEqual([]);
    const change = await catalog.libraries.changeCapabilities(caller, libraryId, {
      set: [{ name: "resilience.policies", contract: "policies/v1" }],
      remove: ["retry"],
    });
    expect(change.capabilities).toEqual([{ name: "resilience.policies", contract: "policies/v1", exclusive: false }]);
    expect(await names(caller, "resilience")).toEqual(["Polly"]);
    expect(await names(caller, "policies/v1")).toEqual(["Polly"]);
    expect(await names(caller, "retry")).toEqual([]);
  });

  it("shows each result once over its pages, with and without typing errors", async () => {
    const caller = aCatalogCaller();
    for (let turn = 0; turn < 7; turn += 1) {
      await template(caller, `payment-${turn}`);
      await library(caller, `Payment.${turn}`);
    }
    for (const text of ["payment", "paymnet"]) {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await search(caller, { text, limit: 3, cursor });
        expect(page.total).toBe(14);
        names.push(...page.results.map(({ itemId }) => itemId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(names).size).toBe(14);
      expect(names).toHaveLength(14);
    }
    const { nextCursor } = await search(caller, { text: "payment", limit: 3 });
    await expect(search(caller, { text: "other", limit: 3, cursor: nextCursor })).rejects.toMatchObject({
      code: "INVALID_CURSOR",
    });
  });

  it("shows a tenant its own items only, and the kinds that the token may read", async () => {
    const caller = aCatalogCaller();
    const { tenantId } = tenantOf(caller);
    await template(caller, "ledger-service");
    await library(caller, "Ledger");
    expect(await names(aCatalogCaller(), "ledger")).toEqual([]);
    expect(await names(aCatalogCaller(tenantId, ["libraries.read"]), "ledger")).toEqual(["Ledger"]);
    expect(await names(aCatalogCaller(tenantId, ["templates.read"]), "ledger")).toEqual(["ledger-service"]);
    await expect(
      search(aCatalogCaller(tenantId, ["templates.read"]), { text: "ledger", kinds: ["Library"] }),
    ).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    expect(await names(caller, "ledger", { kinds: ["Library"] })).toEqual(["Ledger"]);
  });

  it("refuses more than eight words", async () => {
    await expect(search(aCatalogCaller(), { text: "a b c d e f g h i" })).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
    });
  });

  it("has the texts of a template's newest content, and no longer those of a replaced or deleted one", async () => {
    const caller = aCatalogCaller();
    const { templateId } = await template(caller, "api");
    expect(await names(caller, "gateway")).toEqual([]);
    const input = {
      semanticVersion: "1.0.0",
      sourceRef: "stored://a",
      engineKind: "DotnetNewTemplatePack" as const,
      targetFramework: "net8.0",
    };
    const { templateVersionId } = await catalog
      .drafts({
        name: "Gateway",
        description: "Routes requests in C#",
        shortNames: ["gw"],
        classifications: ["Web"],
      })
      .create(caller, templateId, input);
    expect((await search(caller, { text: "gateway" })).results).toMatchObject([
      { name: "api", title: "Gateway", description: "Routes requests in C#", matchedIn: "Title" },
    ]);
    expect(await names(caller, "c#")).toEqual(["api"]);
    expect(await names(caller, "web gw")).toEqual(["api"]);
    const drafts = catalog.drafts({ name: "Proxy", classifications: null });
    await drafts.replace(caller, templateVersionId, { input });
    expect(await names(caller, "gateway")).toEqual([]);
    expect(await names(caller, "proxy")).toEqual(["api"]);
    await drafts.delete(caller, templateVersionId, {});
    expect(await names(caller, "proxy")).toEqual([]);
    expect(await names(caller, "api")).toEqual(["api"]);
  });

  it("creates versions of one template at the same time, and then finds the newest", async () => {
    const caller = aCatalogCaller();
    const { templateId } = await template(caller, "api");
    const create = (turn: number) =>
      catalog.drafts({ name: "Gateway" }).create(caller, templateId, {
        semanticVersion: `1.${turn}.0`,
        sourceRef: "stored://a",
        engineKind: "DotnetNewTemplatePack",
        targetFramework: "net8.0",
      });
    await Promise.all([1, 2, 3, 4].map(create));
    expect(await names(caller, "gateway")).toEqual(["api"]);
  });

  it("shows no archived template, and the new texts of a changed one", async () => {
    const caller = aCatalogCaller();
    const changes = new TemplateChangeService(catalog.database, catalog.templates);
    const { templateId } = await template(caller, "invoices");
    await changes.update(caller, templateId, { name: "bills", description: "Sends them by mail" });
    expect(await names(caller, "invoices")).toEqual([]);
    expect(await names(caller, "bills mail")).toEqual(["bills"]);
    await changes.archive(caller, templateId);
    expect(await names(caller, "bills")).toEqual([]);
    await changes.restore(caller, templateId);
    expect(await names(caller, "bills")).toEqual(["bills"]);
  });

  it("says that it is not complete while another transaction holds a changed text", async () => {
    const caller = aCatalogCaller();
    await template(caller, "inventory");
    await catalog.admin.query("begin");
    try {
      await catalog.admin.query("select from templates where tenant_id = $1 for update", [tenantOf(caller).uuid]);
      expect(await search(caller, { text: "inventory" })).toMatchObject({ total: 0, complete: false });
    } finally {
      await catalog.admin.query("rollback");
    }
    expect(await search(caller, { text: "inventory" })).toMatchObject({ total: 1, complete: true });
  });

  it("finds exactly the items that have each word or its beginning", async () => {
    const caller = aCatalogCaller();
    const words = ["order", "orders", "store", "storage", "queue", "http", "api", "v2"];
    const word = fc.constantFrom(...words);
    const items: { name: string; texts: string[] }[] = [];
    const sample = fc.sample(fc.tuple(word, word, word), { numRuns: 40, seed: 7 });
    for (const [turn, [word, title, tag]] of sample.entries()) {
      const name = `${word}-${turn}x`;
      await template(caller, name, { title: `The ${title}`, tags: [tag] });
      items.push({ name, texts: [word, `${turn}x`, "the", title, tag, "service"] });
    }
    const queries = fc.uniqueArray(fc.oneof(word, fc.constantFrom("ord", "sto", "q", "7x", "serv", "zzz")), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const matches = items.filter(({ texts }) =>
          query.every((part) => texts.some((text) => (part.length < 2 ? text === part : text.startsWith(part)))),
        );
        // Where nothing matches, words with a typing error count.
        fc.pre(matches.length > 0);
        const page = await search(caller, { text: query.join(" "), limit: 100 });
        expect(page.results.map(({ name }) => name).sort()).toEqual(matches.map(({ name }) => name).sort());
      }),
      { numRuns: 40 },
    );
  });
});
