import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { readCommittedSupergraph } from "../supergraph/committed-supergraph.js";
import { ensureCompiledWorker } from "./compiled-worker.fixture.js";
import type { CountedAnswer } from "./counted-planning.fixture.js";
import { generatedDocuments } from "./generated-documents.fixture.js";
import { planDocument } from "./plan-document.js";

const setup = { introspection: true, maxPlanBytes: 64 * 1024 };
const times = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(" ");

let supergraphSdl: string;
let planner: OperationPlanner;
let counter: Worker;

beforeAll(async () => {
  ensureCompiledWorker();
  supergraphSdl = await readCommittedSupergraph();
  planner = new OperationPlanner(supergraphSdl);
  const entry = new URL("../../dist/ad-hoc-documents/counted-planning.fixture.js", import.meta.url);
  counter = new Worker(entry, { workerData: { ...setup, supergraphSdl } });
});
afterAll(() => counter.terminate());

async function planned(text: string): Promise<CountedAnswer> {
  const message = once(counter, "message");
  counter.postMessage({ text, operationName: /^query (Q0)/.exec(text)?.[1] });
  const [answer] = (await message) as [CountedAnswer];
  return answer;
}

const preview = (parameters: string, before = "") =>
  `${before} { previewExecution(templateId: "x", input: {templateVersionId: "y", target: {repository: "a/b"}, parameters: ${parameters}}) { truncated } }`;
const lists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const objects = (levels: number) => `${"{a: ".repeat(levels)}1${"}".repeat(levels)}`;

describe("the work of planning a document", () => {
  // the planner alone takes 2^28 steps for the deepest document
  it.each([
    ["lists", (levels: number) => preview(`{a: ${lists(levels)}}`)],
    ["objects", (levels: number) => preview(`{a: ${objects(levels)}}`)],
    [
      "lists around variables",
      (levels: number) => preview(`{a: ${"[".repeat(levels)}$v${"]".repeat(levels)}}`, "query ($v: Int)"),
    ],
    [
      "lists in a default",
      (levels: number) =>
        `query ($i: RequestExecutionInput! = {templateVersionId: "y", target: {repository: "a/b"}, parameters: {a: ${lists(levels)}}}) { previewExecution(templateId: "x", input: $i) { truncated } }`,
    ],
  ])("does not double with each level of %s in a literal", async (_, document) => {
    const [flat, deep] = [await planned(document(1)), await planned(document(28))];
    expect([flat.answer, deep.answer]).toMatchObject([{ kind: "planned" }, { kind: "planned" }]);
    expect(deep.calls).toBeLessThan(flat.calls * 4);
  });

  it("makes one plan of all literals", async () => {
    const [first, other] = [await planned(preview("{a: [1]}")), await planned(preview(`{b: ${lists(20)}, c: {}}`))];
    expect(first.answer).toEqual(other.answer);
  });

  it("is plain data that another thread can send", () => {
    const text = "query ($c: Boolean!) { executions(filter: {}) { items { phase @skip(if: $c) } } }";
    const answer = planDocument(planner, { text, operationName: undefined }, setup);
    if (answer.kind !== "planned") throw new Error("It is planned.");
    expect(Object.keys(answer.plans.specialised)).toEqual(["0", "1"]);
    expect(structuredClone(answer.plans)).toEqual(answer.plans);
  });

  // each stays under 10 million calls, some 500 ms
  it.each([
    ["the same field many times", `{ template(templateId: "x") { ${times(1900, () => "name")} } }`],
    ["the same objects many times", `{ template(templateId: "x") { ${times(450, () => "allVersions { status }")} } }`],
    [
      "nested fragments",
      `{ template(templateId: "x") { ...F0 } } ${times(11, (at) => `fragment F${at} on Template { ${at < 10 ? `...F${at + 1} ...F${at + 1}` : "name"} }`)}`,
    ],
    [
      "chains of fragments",
      `{ template(templateId: "x") { ${times(100, () => "...F0")} } } ${times(150, (at) => `fragment F${at} on Template { ${at < 149 ? `...F${at + 1}` : "name"} }`)}`,
    ],
    [
      "aliases of joins",
      `{ ${times(15, (at) => `s${at}: searchLibraries(input: {}) { results { apiClient { key a${at}: provider { key } } } }`)} }`,
    ],
    [
      "conditions over and over",
      `query (${times(20, (at) => `$v${at}: Boolean!`)}) { template(templateId: "x") { ${times(80, (at) => `... @include(if: $v${at % 20}) { allVersions @skip(if: $v${(at + 1) % 20}) { status } }`)} } }`,
    ],
    [
      "both sides of conditions in nested fragments",
      `query (${times(9, (at) => `$v${at}: Boolean!`)}) { searchLibraries(input: {}) { results { apiClient { ...F0 } } } } ${times(10, (at) => `fragment F${at} on VendorApiClient { ${at < 9 ? `...F${at + 1} @skip(if: $v${at}) ...F${at + 1} @include(if: $v${at})` : "key"} }`)}`,
    ],
    [
      "conditions with a plan for each",
      `query ($v0: Boolean!, $v1: Boolean!, $v2: Boolean!) { searchLibraries(input: {}) { results { ...F0 } } } ${times(8, (at) => `fragment F${at} on LibrarySearchResult { ${at < 7 ? `...F${at + 1} @skip(if: $v${at % 3}) ...F${at + 1} @include(if: $v${at % 3})` : "apiClient { key }"} }`)}`,
    ],
    [
      "operations over one fragment",
      `${times(100, (at) => `query Q${at} { template(templateId: "x") { ...F } }`)} fragment F on Template { name }`,
    ],
    [
      "arguments that are compared",
      `{ template(templateId: "x") { name } ${times(2, () => `previewExecution(templateId: "x", input: {templateVersionId: "y", target: {repository: "a/b"}, parameters: {a: [${"1 ".repeat(900)}]}}) { truncated }`)} }`,
    ],
  ])("is bounded for %s", async (_, document) => {
    const { answer, calls } = await planned(document);
    expect(calls).toBeLessThan(10_000_000);
    if (answer !== "over a limit" && answer.kind === "refused")
      expect(answer.problems).toMatchObject([{ extensions: { code: "TOO_COMPLEX" } }]);
    else expect(answer === "over a limit" || answer.kind === "planned").toBe(true);
  });

  it("stays under 1,000 calls for each byte of documents of any shape", async () => {
    let plannedOnes = 0;
    await fc.assert(
      fc.asyncProperty(generatedDocuments(planner.apiSchema), async (text) => {
        const { answer, calls } = await planned(text);
        if (answer === "over a limit") return;
        expect(answer).toMatchObject({ kind: "planned" });
        plannedOnes += 1;
        expect(calls / text.length).toBeLessThan(1000);
        expect((answer.kind === "planned" ? answer.bytes : 0) / text.length).toBeLessThan(100);
      }),
      { numRuns: 100, endOnFailure: true },
    );
    expect(plannedOnes).toBeGreaterThan(30);
  });

  it("says what is wrong where, as graphql-js does", async () => {
    const { answer } = await planned("{ nothing }");
    expect(answer).toMatchObject({
      kind: "refused",
      problems: [{ message: 'Cannot query field "nothing" on type "Query".', positions: [2] }],
    });
  });
});
