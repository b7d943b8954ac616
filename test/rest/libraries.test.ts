import { aLibrary, aPackageName } from "../kit/libraries.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTemplateVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const post = <T = Record<string, unknown>>(path: string, body: unknown) => request<T>(`POST ${path}`, { token, body });

describe("POST /v1/libraries", () => {
  it("returns the documented members", async () => {
    const packageName = aPackageName();
    const { status, body, headers } = await post("/v1/libraries", {
      packageName,
      area: "Messaging",
      owner: "team-a",
      capabilities: [{ name: "messaging.publish", contract: "IPublisher" }],
      tags: ["bus"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({ libraryId: expect.stringMatching(/^lib_/), packageName, status: "Active" });
    expect(headers.get("location")).toBe(`/v1/libraries/${String(body["libraryId"])}`);
  });

  it("accepts a package once, ignoring case", async () => {
    const packageName = aPackageName();
    await aLibrary(token, { packageName });
    expect(refusal(await post("/v1/libraries", { packageName: packageName.toUpperCase() }))).toBe("409 LIBRARY_EXISTS");
  });

  it("lists every value that is not valid", async () => {
    const answer = await post("/v1/libraries", {
      packageName: "not a package",
      versions: [
        { semanticVersion: "one", targetFramework: "net8.0" },
        { semanticVersion: "1.0.0", targetFramework: "gameboy", dependencies: [{ packageName: "A", range: "[2,1]" }] },
        { semanticVersion: "1.0", conflictsWith: [{ packageName: "a b" }] },
      ],
    });
    expect(refusal(answer)).toBe("422 LIBRARIES_INVALID");
    expect(refusedFields(answer)).toEqual(
      expect.arrayContaining([
        "/packageName FORMAT",
        "/versions/0/semanticVersion FORMAT",
        "/versions/1/targetFrameworks UNKNOWN_VALUE",
        "/versions/2/semanticVersion DUPLICATE",
        "/versions/2/conflictsWith/0/packageName FORMAT",
      ]),
    );
  });
});

describe("GET /v1/libraries/{libraryId}", () => {
  it("returns the documented members, the highest version first", async () => {
    const packageName = aPackageName();
    const libraryId = await aLibrary(token, {
      packageName,
      area: "Messaging",
      capabilities: [{ name: "messaging.publish" }],
      versions: [
        { semanticVersion: "1.9.0", targetFrameworks: ["net8.0", "netstandard2.0"] },
        { semanticVersion: "1.10.0", targetFramework: "net8.0" },
        { semanticVersion: "1.2.3.4" },
      ],
    });
    const { status, body } = await request<{ versions: unknown[] }>(`GET /v1/libraries/${libraryId}`, { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      libraryId,
      packageName,
      area: "Messaging",
      capabilities: [{ name: "messaging.publish", contract: null }],
      versions: [
        expect.objectContaining({ semanticVersion: "1.10.0" }),
        {
          libraryVersionId: expect.stringMatching(/^lbv_/),
          semanticVersion: "1.9.0",
          targetFramework: "netstandard2.0",
          targetFrameworks: ["netstandard2.0", "net8.0"],
          status: "Published",
        },
        expect.objectContaining({ semanticVersion: "1.2.3.4", targetFramework: null, targetFrameworks: [] }),
      ],
    });
  });
});

describe("POST /v1/libraries/search", () => {
  interface Found {
    results: {
      packageName: string;
      matchedOn: string;
      matchedCapability: string | null;
      latestVersion: string | null;
    }[];
    total: number;
    nextCursor: string | null;
  }
  const search = async (body: unknown) =>
    (await request<Found>("POST /v1/libraries/search", { token: other, body })).body;
  const names = ({ results }: Found) => results.map(({ packageName }) => packageName);
  let other: string;

  beforeAll(async () => {
    other = await (await aTenant()).tokenWith();
    const register = (packageName: string, name: string, contract?: string, more: Record<string, unknown> = {}) =>
      aLibrary(other, { packageName, capabilities: [{ name, ...(contract ? { contract } : {}) }], ...more });
    await register("Tier1.Exact", "payment.capture", "ICapture", {
      area: "Billing",
      versions: [
        { semanticVersion: "2.0.0", targetFramework: "net9.0" },
        { semanticVersion: "1.5.0", targetFramework: "net6.0" },
        { semanticVersion: "3.0.0-beta", targetFramework: "net6.0" },
      ],
    });
    await register("Tier2.Contract", "money", "payment.capture", { area: "Billing" });
    await register("Tier3.Prefix", "payment.capture.card");
    await register("Tier4.Words", "capture.of.payment");
    await register("Old.Framework", "legacy.thing", undefined, {
      versions: [{ semanticVersion: "1.0.0", targetFramework: "net48" }],
    });
  });

  it("returns the documented members", async () => {
    const { results } = await search({ capability: "payment.capture", area: "Billing" });
    expect(results[0]).toEqual({
      libraryId: expect.stringMatching(/^lib_/),
      packageName: "Tier1.Exact",
      matchedCapability: "payment.capture",
      latestVersion: "2.0.0",
      matchedOn: "ExactName",
      source: "Library",
      apiClientId: null,
      providerId: null,
    });
  });

  it("lists the better match first", async () => {
    const searchResult = await search({ capability: "payment.capture" });
    expect(names(searchResult)).toEqual(["Tier1.Exact", "Tier2.Contract", "Tier3.Prefix", "Tier4.Words"]);
    expect(searchResult.results.map(({ matchedOn }) => matchedOn)).toEqual([
      "ExactName",
      "ExactContract",
      "NamePrefix",
      "AllTokens",
    ]);
    expect(searchResult).toMatchObject({ total: 4, nextCursor: null });
  });

  it("finds misspelled terms only when nothing matches exactly", async () => {
    expect((await search({ capability: "paymnet.capture.card" })).results[0]).toMatchObject({
      packageName: "Tier3.Prefix",
      matchedOn: "SimilarToken",
    });
  });

  it("shows versions that a project of the framework can use, and only libraries with such a version", async () => {
    const on = async (targetFramework: string) =>
      search({ capability: "payment.capture", area: "Billing", targetFramework });
    expect((await on("net8.0")).results[0]).toMatchObject({ packageName: "Tier1.Exact", latestVersion: "1.5.0" });
    expect(names(await on("net5.0"))).toEqual(["Tier2.Contract"]);
    expect((await search({ capability: "legacy", targetFramework: "net8.0" })).total).toBe(0);
    expect((await search({ capability: "legacy", targetFramework: "net481" })).total).toBe(1);
    expect(refusal(await post("/v1/libraries/search", { targetFramework: "gameboy" }))).toBe(
      "422 RUNTIME_NOT_RECOGNISED",
    );
  });

  it("lists all libraries without a filter, in pages, each library once", async () => {
    const pageNames: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Found = await search({ limit: 2, ...(cursor === null ? {} : { cursor }) });
      expect(page.total).toBe(5);
      pageNames.push(...names(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(pageNames).size).toBe(5);
    expect(pageNames).toHaveLength(5);
  });

  it("refuses a cursor of another search", async () => {
    const { nextCursor } = await search({ limit: 1 });
    const page = (body: unknown) => request("POST /v1/libraries/search", { token: other, body });
    expect(refusal(await page({ limit: 1, area: "Billing", cursor: nextCursor }))).toBe("400 INVALID_CURSOR");
    for (const cursor of ["x", `${nextCursor}x`, "AAAA"])
      expect(refusal(await page({ cursor }))).toBe("400 INVALID_CURSOR");
  });
});

describe("compatibility", () => {
  interface Matrix {
    matrixId: string;
    compatible: boolean;
    violations: { rule: string; detail: string; suggestedResolution: string }[];
  }
  const evaluate = (input: Record<string, unknown>) => post<Matrix>("/v1/libraries/compatibility/evaluate", input);
  const rules = ({ violations }: Matrix) => violations.map(({ rule }) => rule);
  let alpha: string;
  let beta: string;

  beforeAll(async () => {
    [alpha, beta] = [aPackageName(), aPackageName()];
    await aLibrary(token, {
      packageName: alpha,
      versions: [
        {
          semanticVersion: "1.0.0",
          targetFramework: "net8.0",
          conflictsWith: [{ packageName: beta, range: "[1.0,2.0)" }],
        },
        { semanticVersion: "2.0.0", targetFramework: "net8.0" },
      ],
    });
    await aLibrary(token, {
      packageName: beta,
      versions: [
        { semanticVersion: "1.5.0", targetFramework: "netstandard2.0" },
        { semanticVersion: "2.5.0", targetFramework: "netstandard2.0" },
      ],
    });
  });

  const set = (...libraries: [string, string][]) =>
    libraries.map(([packageName, version]) => ({ packageName, version }));

  it("is true for a set that breaks no rule", async () => {
    const { status, body } = await evaluate({ runtime: "net8.0", libraries: set([alpha, "2.0.0"], [beta, "1.5.0"]) });
    expect(status).toBe(200);
    expect(body).toEqual({
      matrixId: expect.stringMatching(/^mtx_/),
      compatible: true,
      violations: [],
      advisories: expect.any(Array),
    });
  });

  it.each([
    ["LibraryConflictsWith", () => ({ runtime: "net8.0", libraries: set([alpha, "1.0.0"], [beta, "1.5.0"]) })],
    ["LibraryDoesNotSupportRuntime", () => ({ runtime: "net6.0", libraries: set([alpha, "2.0.0"]) })],
    ["LibraryDuplicated", () => ({ runtime: "net8.0", libraries: set([beta, "1.5.0"], [beta, "2.5.0"]) })],
  ])("reports %s with a resolution", async (rule, input) => {
    const { status, body } = await evaluate(input());
    expect([status, body.compatible, rules(body)]).toEqual([200, false, [rule]]);
    expect(body.violations[0]?.detail).not.toBe("");
    expect(body.violations[0]?.suggestedResolution).not.toBe("");
  });

  it("reports TemplateDoesNotSupportRuntime for a template, with a resolution", async () => {
    const { templateId, templateVersionId } = await aTemplateVersion(token, "stored://unresolved", {
      targetFramework: "net9.0",
    });
    const path = `/v1/templates/${templateId}/compatibility/evaluate`;
    const { status, body } = await post<Matrix>(path, { templateVersionId, runtime: "net8.0", libraries: [] });
    expect([status, body.compatible, rules(body)]).toEqual([200, false, ["TemplateDoesNotSupportRuntime"]]);
    expect(body.violations[0]?.suggestedResolution).not.toBe("");
    const fits = await post<Matrix>(path, { templateVersionId, runtime: "net9.0", libraries: [] });
    expect(fits.body).toMatchObject({ compatible: true, violations: [] });
  });

  it("is not evaluated for a runtime or a library that is not valid", async () => {
    const unknown = await evaluate({ runtime: "dotnet-eight", libraries: [] });
    expect([refusal(unknown), refusedFields(unknown)]).toEqual([
      "422 RUNTIME_NOT_RECOGNISED",
      ["/runtime UNKNOWN_VALUE"],
    ]);
    const unreadable = await evaluate({ runtime: "net8.0", libraries: set(["a b", "one"]) });
    expect([refusal(unreadable), refusedFields(unreadable)]).toEqual([
      "422 LIBRARIES_INVALID",
      ["/libraries/0/packageName FORMAT", "/libraries/0/version FORMAT"],
    ]);
  });
});
