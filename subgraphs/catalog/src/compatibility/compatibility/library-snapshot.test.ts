import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import fc from "fast-check";
import { LibraryVersionService } from "../../libraries/libraries/library-version.service.js";
import {
  aCaller,
  aLibrarySearch,
  type LibrarySearchFixture,
} from "../../libraries/library-search/library-search.fixture.js";
import { LibrarySnapshots } from "./library-snapshot.js";

let fixture: LibrarySearchFixture;

beforeAll(async () => {
  fixture = await aLibrarySearch();
});

afterAll(() => fixture.close());

const names = ["A", "B", "C", "D", "E", "F"];

/** Registers a library with one version, or its next version; the same again registers its successor. */
function aWriter(context: RequestContext) {
  const versions = new LibraryVersionService(fixture.database);
  const libraries = new Map<string, { libraryId: string; count: number; newest: string }>();
  return async (packageName: string, needs: readonly string[]) => {
    const dependencies = needs.map((name) => ({ packageName: name, range: "1.0.0" }));
    const registration = libraries.get(packageName);
    const version = { semanticVersion: `1.${registration?.count ?? 0}.0`, targetFrameworks: ["net8.0"], dependencies };
    if (registration === undefined) {
      const { libraryId, versions: registeredVersions } = await fixture.register(context, {
        packageName,
        versions: [version],
      });
      libraries.set(packageName, { libraryId, count: 1, newest: registeredVersions[0]?.libraryVersionId ?? "" });
    } else {
      const { libraryVersionId } = await versions.register(context, registration.libraryId, version);
      libraries.set(packageName, { ...registration, count: registration.count + 1, newest: libraryVersionId });
    }
    return {
      deprecate: () =>
        versions.deprecate(context, libraries.get(packageName)?.newest ?? "", { reason: "Legacy", message: null }),
    };
  };
}

const write = fc.record({
  packageName: fc.constantFrom(...names),
  needs: fc.uniqueArray(fc.constantFrom(...names, "Elsewhere"), { maxLength: 3 }),
  deprecated: fc.boolean(),
});
const set = fc.uniqueArray(fc.constantFrom(...names, "a", "Nowhere"), { minLength: 1, maxLength: 4 });

describe("the libraries of an evaluation", () => {
  it("are what a first look at the catalog finds, whatever is remembered of it", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(write, set), { minLength: 1, maxLength: 8 }), set, async (steps, always) => {
        const context = aCaller();
        const tenant = tenantOf(context);
        const registerPackage = aWriter(context);
        const snapshots = new LibrarySnapshots(fixture.database.reader);
        for (const [{ packageName, needs, deprecated }, askedNames] of steps) {
          const { deprecate } = await registerPackage(packageName, needs);
          if (deprecated) await deprecate();
          for (const names of [always, askedNames, always]) {
            const first = await new LibrarySnapshots(fixture.database.reader).of(tenant, names);
            const again = await snapshots.of(tenant, names);
            expect(again.revisions).toEqual(first.revisions);
            expect(again.catalog).toEqual(first.catalog);
          }
        }
      }),
      { numRuns: 15 },
    ));

  it("are those of the tenant that asks", async () => {
    const [ours, theirs] = [aCaller(), aCaller()];
    await aWriter(ours)("A", ["B"]);
    await aWriter(theirs)("B", []);
    const snapshots = new LibrarySnapshots(fixture.database.reader);
    const keys = async (context: RequestContext) => [
      ...(await snapshots.of(tenantOf(context), ["A", "B"])).catalog.keys(),
    ];
    for (let time = 0; time < 2; time += 1) expect([await keys(ours), await keys(theirs)]).toEqual([["a"], ["b"]]);
  });

  it("are looked at in one statement while nothing has changed", async () => {
    const context = aCaller();
    const registerPackage = aWriter(context);
    await registerPackage("A", ["B"]);
    await registerPackage("B", ["C"]);
    let statements = 0;
    const { reader } = fixture.database;
    const countingReader: Pick<TenantReader, "rows"> = {
      rows: (...statement) => {
        statements += 1;
        return reader.rows(...statement);
      },
    };
    const snapshots = new LibrarySnapshots(countingReader);
    const statementsFor = async (...names: string[]) => {
      statements = 0;
      const { catalog } = await snapshots.of(tenantOf(context), names);
      return [[...catalog.keys()].sort(), statements];
    };
    expect(await statementsFor("A")).toEqual([["a", "b"], 2]);
    expect(await statementsFor("A")).toEqual([["a", "b"], 1]);
    expect(await statementsFor("b")).toEqual([["b"], 1]);
    expect(await statementsFor("A", "Nowhere")).toEqual([["a", "b"], 1]);
    expect(await statementsFor("A", "Nowhere")).toEqual([["a", "b"], 1]);
    await registerPackage("C", []);
    expect(await statementsFor("A")).toEqual([["a", "b", "c"], 3]);
    expect(await statementsFor("A")).toEqual([["a", "b", "c"], 1]);
  });
});
