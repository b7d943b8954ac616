import { randomUUID } from "node:crypto";
import { type Framework, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import fc from "fast-check";
import type { RegisterLibraryInput } from "../libraries/library.input.js";
import { matchCapability } from "../search-index/capability-match.js";
import { indexEntry } from "../search-index/search-index-statement.js";
import { aCaller, aLibrarySearch, type LibrarySearchFixture } from "./library-search.fixture.js";
import type { SearchLibrariesInput } from "./library-search.input.js";
import type { LibrarySearchResultsType, LibrarySearchResultType } from "./library-search.type.js";

let fixture: LibrarySearchFixture;

beforeAll(async () => {
  fixture = await aLibrarySearch();
});

afterAll(() => fixture.close());

const words = [
  "message",
  "Messages",
  "masage",
  "publish",
  "publisher",
  "Pub",
  "OAuth",
  "oauth",
  "http2Server",
  "v2",
  "v3",
  "order",
  "Orders",
  "IOrderStore",
  "paymentCapture",
  "payment",
  "capture",
  "ﬁle",
  "Über",
  "x",
  "store",
  "stor",
  "storage",
];
const text = fc
  .tuple(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(".", "-", " ", "/", "_", "..", ""),
  )
  .map(([parts, separator]) => parts.join(separator));
const monikers = ["net8.0", "net6.0", "netstandard2.0", "net48", "net8.0-windows"];
const version = fc.record({
  semanticVersion: fc.constantFrom("1.0.0", "2.0.0", "10.0.0", "3.0.0-beta", "2.0.0-rc.1", "1.2.3.4"),
  targetFrameworks: fc.uniqueArray(fc.constantFrom(...monikers), { maxLength: 2 }),
});
const library = fc.record({
  area: fc.constantFrom(null, "Billing", "billing", "Orders"),
  owner: fc.constantFrom(null, "Team-A", "team-b"),
  tags: fc.uniqueArray(fc.constantFrom("bus", "Bus2", "cloud"), { maxLength: 2 }),
  capabilities: fc.array(fc.record({ name: text, contract: fc.option(text) }), { maxLength: 4 }),
  versions: fc.uniqueArray(version, { maxLength: 4, selector: ({ semanticVersion }) => semanticVersion }),
  fate: fc.constantFrom(...(["AtOnce", "AtOnce", "Later", "Gone"] as const)),
});
const misspelledText = text.chain((right) =>
  fc
    .nat(Math.max(0, right.length - 2))
    .map((at) => right.slice(0, at) + (right[at + 1] ?? "") + right[at] + right.slice(at + 2)),
);
const query = fc.record({
  capability: fc.option(
    fc.oneof(
      text,
      fc.constantFrom(...words, "p", "st", "ord", "s"),
      misspelledText,
      text.map((whole) => whole.slice(0, -1)),
    ),
    { nil: null },
  ),
  area: fc.option(fc.constantFrom("billing", " ORDERS ", "none"), { nil: null, freq: 4 }),
  owner: fc.option(fc.constantFrom("TEAM-A", "team-b"), { nil: null, freq: 5 }),
  tags: fc.option(fc.uniqueArray(fc.constantFrom("BUS", "bus2", "cloud"), { maxLength: 2 }), { nil: null, freq: 5 }),
  targetFramework: fc.option(fc.constantFrom(...monikers, "net5.0"), { nil: null, freq: 3 }),
});

interface Ranked {
  packageName: string;
  matchedCapability: string | null;
  latestVersion: string | null;
  tier: number;
}

/** A library, and when its versions come: with it, after it, or after it and gone by now. */
interface Drawn extends RegisterLibraryInput {
  readonly fate: "AtOnce" | "Later" | "Gone";
}

async function register(caller: RequestContext, { fate, versions: drawnVersions, ...library }: Drawn): Promise<void> {
  const versions = drawnVersions ?? [];
  if (fate === "AtOnce") return void (await fixture.register(caller, { ...library, versions }));
  const { libraryId } = await fixture.register(caller, library);
  for (const drawnVersion of versions) {
    const { libraryVersionId } = await fixture.versions.register(caller, libraryId, drawnVersion);
    if (fate === "Gone") await fixture.versions.deprecate(caller, libraryVersionId, { reason: "Legacy" });
  }
}

/** Page after page. */
async function readThrough(caller: RequestContext, input: Omit<SearchLibrariesInput, "cursor">) {
  const rows: LibrarySearchResultType[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: LibrarySearchResultsType = await fixture.search(caller, { ...input, cursor });
    rows.push(...page.results);
    if (page.nextCursor === null) return rows;
    cursor = page.nextCursor;
  }
}

/** The rules, read off all libraries one by one. */
function ranked(all: readonly Drawn[], searchInput: SearchLibrariesInput): Ranked[] {
  const fits = all.filter(
    ({ area, owner, tags }) =>
      (!searchInput.area || area?.toLowerCase() === searchInput.area.trim().toLowerCase()) &&
      (!searchInput.owner || owner?.toLowerCase() === searchInput.owner.toLowerCase()) &&
      (searchInput.tags ?? []).every((tag) =>
        tags?.some((libraryTag) => libraryTag.toLowerCase() === tag.toLowerCase()),
      ),
  );
  const hits = fits.flatMap((drawnLibrary) => hitOf(drawnLibrary, searchInput) ?? []);
  const best = hits.filter(({ tier }) => tier < 6);
  const order = ({ tier, latestVersion, packageName }: Ranked) =>
    `${tier} ${latestVersion === null ? 1 : 0} ${packageName.toLowerCase()}`;
  return (best.length > 0 ? best : hits).sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function hitOf(drawnLibrary: Drawn, searchInput: SearchLibrariesInput): Ranked | undefined {
  const best = bestCapability(drawnLibrary, searchInput.capability?.trim());
  if (!best) return undefined;
  const versions = drawnLibrary.versions ?? [];
  const project = searchInput.targetFramework == null ? undefined : parseFramework(searchInput.targetFramework);
  const publishedVersions = drawnLibrary.fate === "Gone" ? [] : versions;
  const usable = publishedVersions.filter(
    ({ targetFrameworks: frameworks }) => !project || runsOn(project, frameworks ?? []),
  );
  if (project && usable.length === 0 && versions.length > 0) return undefined;
  const latestVersion =
    highestFirst.find((candidate) => usable.some(({ semanticVersion }) => semanticVersion === candidate)) ?? null;
  return { packageName: drawnLibrary.packageName, matchedCapability: best.name, latestVersion, tier: best.tier };
}

const highestFirst = ["10.0.0", "2.0.0", "1.2.3.4", "1.0.0", "3.0.0-beta", "2.0.0-rc.1"];

function runsOn(project: Framework, frameworks: readonly string[]): boolean {
  return (
    frameworks.length === 0 || frameworks.some((moniker) => isCompatible(project, parseFramework(moniker) ?? project))
  );
}

function bestCapability({ capabilities }: RegisterLibraryInput, capabilityText: string | undefined) {
  const offeredCapabilities = (capabilities ?? []).map(({ name, contract }) => ({ name, contract: contract ?? null }));
  if (!capabilityText) return { tier: 0, name: offeredCapabilities[0]?.name ?? null };
  let best: { tier: number; name: string } | undefined;
  for (const capability of offeredCapabilities) {
    const tier = matchCapability(capabilityText, capability);
    if (tier !== undefined && tier < (best?.tier ?? 7)) best = { tier, name: capability.name };
  }
  return best;
}

const tierNames = ["Listed", "ExactName", "ExactContract", "NamePrefix", "AllTokens", "TokenPrefix", "SimilarToken"];

describe("the search", () => {
  // one that is known to meet every tier, and a new one each time
  it.each([
    ["known", { seed: 1, numRuns: 6 }],
    ["new", { numRuns: 4 }],
  ])(
    "ranks %s libraries like the rules read off one after the other, in at most three statements",
    async (draw, runs) => {
      const seenTiers = new Set<string>();
      await fc.assert(
        fc.asyncProperty(
          fc.array(library, { minLength: 10, maxLength: 40 }),
          fc.array(query, { minLength: 25, maxLength: 25 }),
          async (drawnLibraries, queries) => {
            const caller = aCaller();
            const all = drawnLibraries.map((drawnLibrary, place) => ({
              ...drawnLibrary,
              packageName: `${place % 2 ? "p" : "P"}ack.${place}`,
            }));
            await Promise.all(all.map((drawnLibrary) => register(caller, drawnLibrary)));
            for (const searchInput of queries) {
              const before = fixture.reader.statements;
              const page = await fixture.search(caller, { ...searchInput, limit: 100 });
              expect(fixture.reader.statements - before).toBeLessThanOrEqual(3);
              const expectedRows = ranked(all, searchInput);
              for (const { tier } of expectedRows) seenTiers.add(tierNames[tier] ?? "");
              expect(
                page.results.map(({ packageName, matchedCapability, latestVersion, matchedOn }) => ({
                  packageName,
                  matchedCapability,
                  latestVersion,
                  matchedOn,
                })),
              ).toEqual(expectedRows.map(({ tier, ...row }) => ({ ...row, matchedOn: tierNames[tier] })));
              expect(page.total).toBe(expectedRows.length);
              if (page.total > 12)
                expect(await readThrough(caller, { ...searchInput, limit: 5 })).toEqual(page.results);
            }
          },
        ),
        runs,
      );
      if (draw === "known") expect([...seenTiers].sort()).toEqual([...tierNames].sort());
    },
  );
});

describe("the search of a tenant", () => {
  it("finds its own libraries only, whatever others call theirs", async () => {
    const [ours, theirs] = [aCaller(), aCaller()];
    const sameLibrary = { packageName: "Same.Name", area: "Billing", capabilities: [{ name: "payment.capture" }] };
    const [ownLibrary] = await Promise.all([
      fixture.register(ours, sameLibrary),
      fixture.register(theirs, sameLibrary),
    ]);
    await fixture.register(theirs, { packageName: "Their.Own", capabilities: [{ name: "payments.capture" }] });
    for (const capability of ["payment.capture", "payment", "capture", "capt", "paymnet.capture"]) {
      const page = await fixture.search(ours, { capability });
      expect(page.results.map(({ libraryId }) => libraryId)).toEqual([ownLibrary?.libraryId]);
    }
    expect((await fixture.search(ours, {})).total).toBe(1);
    expect((await fixture.search(aCaller(), { capability: "payment.capture" })).total).toBe(0);
  });

  it("takes text for text", async () => {
    const caller = aCaller();
    await fixture.register(caller, {
      packageName: "Plain",
      area: "100%",
      tags: ["a_b"],
      capabilities: [{ name: "percent.100%", contract: "it's" }, { name: "back\\slash" }, { name: "\u{10ffff}end" }],
    });
    const total = async (input: SearchLibrariesInput) => (await fixture.search(caller, input)).total;
    expect(await total({ capability: "100%" })).toBe(1);
    expect(await total({ capability: "it's" })).toBe(1);
    expect(await total({ capability: "back\\slash" })).toBe(1);
    expect(await total({ capability: "\u{10ffff}" })).toBe(1);
    expect(await total({ area: "100%", tags: ["A_B"] })).toBe(1);
    for (const capability of ["%", "per%nt", "p_r_ent", "10\\%", "' or true --", "{}", "$1", "(", "NULL", "."])
      expect([capability, await total({ capability })]).toEqual([capability, 0]);
    for (const filter of [{ area: "%" }, { area: "1__%" }, { owner: "%" }, { tags: ["a%"] }, { tags: ["{}"] }])
      expect(await total(filter)).toBe(0);
  });

  it("stands names that unfold to many letters, and as many words and capabilities as a request may hold", async () => {
    const caller = aCaller();
    const unfolding = "\u{fdfa}".repeat(100);
    const everyLetter = Array.from({ length: 50 }, (_, at) => String.fromCharCode(97 + (at % 26))).join(".");
    const capabilities = [
      { name: unfolding, contract: unfolding },
      { name: everyLetter, contract: "w".repeat(100) },
      ...Array.from({ length: 98 }, (_, at) => ({
        name: `area${at}.of-${at}.camelCase${at}`,
        contract: `Contract${at}`,
      })),
    ];
    await fixture.register(caller, { packageName: "Heavy", capabilities });
    for (const capability of [unfolding, everyLetter, "w".repeat(100), "of 97", "area97.of-97.camelCase97"])
      expect((await fixture.search(caller, { capability })).results).toMatchObject([{ packageName: "Heavy" }]);
    const noise = Array.from({ length: 16 }, (_, at) => `xyzz${String.fromCharCode(97 + at)}`).join(" ");
    expect((await fixture.search(caller, { capability: noise })).total).toBe(0);
  });

  it("finds nothing in a catalog without libraries", async () => {
    expect((await fixture.search(aCaller(), { status: "Active" })).total).toBe(0);
  });
});

describe("the search for one word", () => {
  it("ranks libraries and API clients together, each under its best match", async () => {
    const caller = aCaller();
    const tenant = tenantOf(caller);
    const offeredCapabilities = {
      Named: ["ship"],
      Sorted: ["other.ship", "ship.track"],
      Held: ["track.ship", "shipment.ship"],
      Begun: ["shipment.create", "shipper.list"],
      Both: ["shipper.create", "track.shipments.ship"],
    };
    const versions = [{ semanticVersion: "1.0.0" }];
    for (const [name, capabilities] of Object.entries(offeredCapabilities)) {
      const namedCapabilities = capabilities.map((capability) => ({ name: capability, contract: null }));
      await fixture.register(caller, { packageName: `${name}.Old`, capabilities: namedCapabilities });
      await fixture.register(caller, { packageName: name, capabilities: namedCapabilities, versions });
      const entry = { area: null, owner: null, tags: [], status: "Active", capabilities: namedCapabilities } as const;
      const client = { ...entry, entryId: randomUUID(), source: "ApiClient", name: `${name}.Client` } as const;
      await fixture.database.transaction(tenant, { trace: caller.trace }, async (transaction) => {
        await transaction.execute(
          `insert into api_clients (tenant_id, provider_id, api_client_id, key, capabilities, status, status_since, status_event_id)
           values ($1, gen_random_uuid(), $2, $3, $4, 'Registered', now(), gen_random_uuid())`,
          [tenant.uuid, client.entryId, client.name, capabilities],
        );
        await indexEntry(transaction, client);
      });
    }
    const libraries = [
      "Named",
      "Named.Old",
      "Sorted",
      "Sorted.Old",
      "Both",
      "Held",
      "Both.Old",
      "Held.Old",
      "Begun",
      "Begun.Old",
    ];
    const all = await readThrough(caller, { capability: "Ship", includeApiClients: true, limit: 2 });
    const ownRows = await readThrough(caller, { capability: "Ship", limit: 2 });
    expect(ownRows.map(({ packageName }) => packageName)).toEqual(libraries);
    expect(ownRows.map(({ matchedCapability }) => matchedCapability).filter((_, place) => place % 2 === 0)).toEqual([
      "ship",
      "ship.track",
      "track.shipments.ship",
      "track.shipments.ship",
      "shipment.create",
    ]);
    expect(all.map(({ packageName }) => packageName)).toEqual([
      ...["Named", "Named.Client", "Named.Old", "Sorted", "Sorted.Client", "Sorted.Old"],
      ...["Both", "Held", "Both.Client", "Both.Old", "Held.Client", "Held.Old"],
      ...["Begun", "Begun.Client", "Begun.Old"],
    ]);
    expect((await fixture.search(caller, { capability: "ship", includeApiClients: true })).total).toBe(15);
    expect((await fixture.search(caller, { capability: "ship" })).total).toBe(10);
  });
});

describe("the pages of a search", () => {
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `N${100 + from + at}`);

  async function pages(
    caller: ReturnType<typeof aCaller>,
    input: { limit: number; capability?: string },
    between = async () => {},
  ) {
    const seenNames: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await fixture.search(caller, { ...input, cursor });
      seenNames.push(...page.results.map(({ packageName }) => packageName));
      if (page.nextCursor === null) return seenNames;
      cursor = page.nextCursor;
      await between();
    }
  }

  it.each([
    ["an exact word", "alpha"],
    ["a misspelled one", "alhpa"],
    ["none", undefined],
  ])("show each row once while others are added, asked with %s", async (_, capability) => {
    const caller = aCaller();
    const register = (packageName: string, name: string, versions: { semanticVersion: string }[] = []) =>
      fixture.register(caller, { packageName, capabilities: [{ name }], versions });
    const before = [...names(0, 6), ...names(10, 16)];
    for (const name of before) await register(name, "alpha.beta", name < "N105" ? [{ semanticVersion: "1.0.0" }] : []);
    let addedCount = 0;
    const input = { limit: 3, ...(capability === undefined ? {} : { capability }) };
    const seenNames = await pages(caller, input, async () => {
      addedCount += 1;
      await register(`A${addedCount}`, "alpha.beta", [{ semanticVersion: "1.0.0" }]);
      await register(`Z${addedCount}`, "alpha.beta");
    });
    expect(new Set(seenNames).size).toBe(seenNames.length);
    expect(seenNames).toEqual(expect.arrayContaining(before));
    const sortedNames = [...before].sort((a, b) => Number(a >= "N105") - Number(b >= "N105") || (a < b ? -1 : 1));
    expect(seenNames.filter((name) => name.startsWith("N"))).toEqual(sortedNames);
  });

  it("belong to their search and their tenant", async () => {
    const [ours, theirs] = [aCaller(), aCaller()];
    for (const caller of [ours, theirs])
      for (const packageName of names(0, 3)) await fixture.register(caller, { packageName, area: "x" });
    const { nextCursor: cursor } = await fixture.search(ours, { limit: 1 });
    await expect(fixture.search(ours, { limit: 2, cursor })).resolves.toMatchObject({ total: 3 });
    for (const [caller, input] of [
      [theirs, {}],
      [ours, { area: "x" }],
      [ours, { status: "Active" }],
      [ours, { includeApiClients: true }],
    ] as const)
      await expect(fixture.search(caller, { ...input, cursor })).rejects.toMatchObject({ code: "INVALID_CURSOR" });
  });

  it("are cut at a hundred rows", async () => {
    const caller = aCaller();
    await Promise.all(names(0, 101).map((packageName) => fixture.register(caller, { packageName })));
    const page = await fixture.search(caller, { limit: 5000 });
    expect([page.results.length, page.total, page.nextCursor === null]).toEqual([100, 101, false]);
    expect((await fixture.search(caller, {})).results).toHaveLength(20);
  });
});

describe("a search that takes too long", () => {
  it("is ended and refused", async () => {
    const tenant = { tenantId: "", uuid: "00000000-0000-7000-8000-000000000000" };
    const slow = "select pg_sleep(30) where scope.tenant is not null";
    await expect(fixture.reader.rows(slow, tenant, [])).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
