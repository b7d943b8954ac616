import fc from "fast-check";
import type { RegisterLibraryInput } from "../libraries/library.input.js";
import { matchCapability } from "../nuget/capability-match.js";
import { type Framework, parseFramework } from "../nuget/framework.js";
import { isCompatible } from "../nuget/framework-compatibility.js";
import { aCaller, aLibrarySearch, type LibrarySearchFixture } from "./library-search.fixture.js";
import type { SearchLibrariesInput } from "./library-search.input.js";

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
});
const misspelt = text.chain((right) =>
  fc
    .nat(Math.max(0, right.length - 2))
    .map((at) => right.slice(0, at) + (right[at + 1] ?? "") + right[at] + right.slice(at + 2)),
);
const query = fc.record({
  capability: fc.option(
    fc.oneof(
      text,
      text,
      misspelt,
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

/** The rules, read off all libraries one by one. */
function ranked(all: readonly RegisterLibraryInput[], asked: SearchLibrariesInput): Ranked[] {
  const fits = all.filter(
    ({ area, owner, tags }) =>
      (!asked.area || area?.toLowerCase() === asked.area.trim().toLowerCase()) &&
      (!asked.owner || owner?.toLowerCase() === asked.owner.toLowerCase()) &&
      (asked.tags ?? []).every((tag) => tags?.some((own) => own.toLowerCase() === tag.toLowerCase())),
  );
  const hits = fits.flatMap((one) => hitOf(one, asked) ?? []);
  const best = hits.filter(({ tier }) => tier < 6);
  const order = ({ tier, latestVersion, packageName }: Ranked) =>
    `${tier} ${latestVersion === null ? 1 : 0} ${packageName.toLowerCase()}`;
  return (best.length > 0 ? best : hits).sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function hitOf(one: RegisterLibraryInput, asked: SearchLibrariesInput): Ranked | undefined {
  const best = bestCapability(one, asked.capability?.trim());
  if (!best) return undefined;
  const versions = one.versions ?? [];
  const project = asked.targetFramework == null ? undefined : parseFramework(asked.targetFramework);
  const usable = versions.filter(({ targetFrameworks: named }) => !project || runsOn(project, named ?? []));
  if (project && usable.length === 0 && versions.length > 0) return undefined;
  const latestVersion =
    highestFirst.find((known) => usable.some(({ semanticVersion }) => semanticVersion === known)) ?? null;
  return { packageName: one.packageName, matchedCapability: best.name, latestVersion, tier: best.tier };
}

const highestFirst = ["10.0.0", "2.0.0", "1.2.3.4", "1.0.0", "3.0.0-beta", "2.0.0-rc.1"];

function runsOn(project: Framework, named: readonly string[]): boolean {
  return named.length === 0 || named.some((moniker) => isCompatible(project, parseFramework(moniker) ?? project));
}

function bestCapability({ capabilities }: RegisterLibraryInput, asked: string | undefined) {
  const offered = (capabilities ?? []).map(({ name, contract }) => ({ name, contract: contract ?? null }));
  if (!asked) return { tier: 0, name: offered[0]?.name ?? null };
  let best: { tier: number; name: string } | undefined;
  for (const capability of offered) {
    const tier = matchCapability(asked, capability);
    if (tier !== undefined && tier < (best?.tier ?? 7)) best = { tier, name: capability.name };
  }
  return best;
}

const tierNames = ["Listed", "ExactName", "ExactContract", "NamePrefix", "AllTokens", "TokenPrefix", "SimilarToken"];

describe("the search", () => {
  it("ranks like the rules read off one library after the other, in at most three statements", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(library, { minLength: 10, maxLength: 40 }),
        fc.array(query, { minLength: 25, maxLength: 25 }),
        async (drawn, queries) => {
          const caller = aCaller();
          const all = drawn.map((one, place) => ({ ...one, packageName: `${place % 2 ? "p" : "P"}ack.${place}` }));
          await Promise.all(all.map((one) => fixture.register(caller, one)));
          for (const asked of queries) {
            const before = fixture.reader.statements;
            const found = await fixture.search(caller, { ...asked, limit: 100 });
            expect(fixture.reader.statements - before).toBeLessThanOrEqual(3);
            const expected = ranked(all, asked);
            for (const { tier } of expected) seen.add(tierNames[tier] ?? "");
            expect(
              found.results.map(({ packageName, matchedCapability, latestVersion, matchedOn }) => ({
                packageName,
                matchedCapability,
                latestVersion,
                matchedOn,
              })),
            ).toEqual(expected.map(({ tier, ...row }) => ({ ...row, matchedOn: tierNames[tier] })));
            expect(found.total).toBe(expected.length);
          }
        },
      ),
      { numRuns: 15 },
    );
    expect([...seen].sort()).toEqual([...tierNames].sort());
  }, 120_000);
});
