import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aLibrary, aPackageName } from "../kit/libraries.js";
import { aPackage } from "../kit/nuget-packages.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

let token: string;
let other: string;

beforeAll(async () => {
  const [ownTenant, another] = await Promise.all([aTenant(), aTenant()]);
  [token, other] = await Promise.all([ownTenant.tokenWith(), another.tokenWith()]);
});

interface Answer {
  value: Json;
  code: unknown;
  error: Record<string, unknown> | undefined;
}

/** The first root field's value, or the first error's extensions. */
async function ask(query: string, variables: object = {}, { by = token, key = "" } = {}): Promise<Answer> {
  const headers = key === "" ? {} : { "idempotency-key": key };
  const { body } = await graphql(query, { token: by, variables: { ...variables }, headers });
  const { data, errors } = body;
  const error = errors?.[0]?.extensions;
  return {
    value: data === null || data === undefined ? (null as never) : (Object.values(data)[0] as Json),
    code: error?.code,
    error,
  };
}

const versionFields = `libraryVersionId libraryId semanticVersion status targetFrameworks
  dependencies { packageName range targetFramework } dependencyGroups conflictsWith { packageName range } consumes maxRuntime
  vulnerabilities { severity advisoryUrl } deprecation { reason message alternatePackage { packageName range } }
  retirementReason resolvedRef createdAt`;

const pointersOf = (error: Answer["error"]) =>
  ((error?.["errors"] ?? []) as { pointer: string }[]).map(({ pointer }) => pointer).sort();

const register = (libraryId: string, input: object, options = {}) =>
  ask(
    `mutation ($libraryId: ID!, $input: RegisterLibraryVersionInput!) {
       registerLibraryVersion(libraryId: $libraryId, input: $input) { ${versionFields} } }`,
    { libraryId, input },
    options,
  );
const publish = (libraryVersionId: string, options = {}) =>
  ask(
    `mutation ($libraryVersionId: ID!) { publishLibraryVersion(libraryVersionId: $libraryVersionId) { status } }`,
    { libraryVersionId },
    options,
  );
const deprecate = (libraryVersionId: string, input: object = { reason: "Legacy" }, options = {}) =>
  ask(
    `mutation ($libraryVersionId: ID!, $input: DeprecateLibraryVersionInput!) {
       deprecateLibraryVersion(libraryVersionId: $libraryVersionId, input: $input) { ${versionFields} } }`,
    { libraryVersionId, input },
    options,
  );
const retire = (libraryVersionId: string, options = {}) =>
  ask(
    `mutation ($libraryVersionId: ID!, $input: RetireLibraryVersionInput!) {
       retireLibraryVersion(libraryVersionId: $libraryVersionId, input: $input) { status retirementReason } }`,
    { libraryVersionId, input: { reason: "It leaks." } },
    options,
  );
const importPackage = (input: object, options = {}) =>
  ask(
    `mutation ($input: ImportLibraryPackageInput!) { importLibraryPackage(input: $input) {
       library { libraryId packageName owner tags versions: allVersions { semanticVersion } } version { ${versionFields} }
       warnings { code } } }`,
    { input },
    options,
  );

async function aVersion(input: object = {}): Promise<string> {
  const { value } = await register(await aLibrary(token), { semanticVersion: "1.0.0", ...input });
  return String(value["libraryVersionId"]);
}

/** The REST answer when one library is evaluated on net8.0. */
async function evaluated(packageName: string, version: string) {
  const { body } = await request<{
    compatible: boolean;
    violations: { rule: string }[];
    advisories: { rule: string }[];
  }>("POST /v1/libraries/compatibility/evaluate", {
    token,
    body: { runtime: "net8.0", libraries: [{ packageName, version }] },
  });
  return { compatible: body.compatible, rules: body.violations.map(({ rule }) => rule) };
}

describe("Mutation.registerLibraryVersion", () => {
  it("stores every member of the input, and the library shows it", async () => {
    const libraryId = await aLibrary(token);
    const facts = {
      semanticVersion: "2.0.0-beta.1",
      targetFrameworks: ["net8.0", "netstandard2.0"],
      dependencies: [
        { packageName: "A", range: "[1.0,2.0)", targetFramework: "netstandard2.0" },
        { packageName: "B", range: null, targetFramework: null },
      ],
      dependencyGroups: ["net8.0"],
      conflictsWith: [{ packageName: "C", range: null }],
      consumes: ["messaging/v2"],
      maxRuntime: "net9.0",
      vulnerabilities: [{ severity: "High", advisoryUrl: "https://example.com/1" }],
    };
    const { value } = await register(libraryId, facts);
    const storedVersion = {
      ...facts,
      libraryId,
      libraryVersionId: expect.stringMatching(/^lbv_/),
      status: "Published",
      targetFrameworks: ["netstandard2.0", "net8.0"],
      dependencyGroups: ["net8.0", "netstandard2.0"],
      deprecation: null,
      retirementReason: null,
      resolvedRef: null,
      createdAt: expect.stringMatching(/Z$/),
    };
    expect(value).toEqual(storedVersion);
    const library = await ask(`{ library(libraryId: "${libraryId}") { versions: allVersions { ${versionFields} } } }`);
    expect(library.value["versions"]).toEqual([value]);
  });

  it("accepts each version once, also when it is written in another form", async () => {
    const libraryId = await aLibrary(token, { versions: [{ semanticVersion: "1.0.0" }] });
    for (const semanticVersion of ["1.0.0", "1.0", "1.0.0.0+build"])
      expect(await register(libraryId, { semanticVersion })).toMatchObject({
        code: "LIBRARY_VERSION_EXISTS",
        error: { status: 409 },
      });
  });

  it("has one effect for one Idempotency-Key", async () => {
    const libraryId = await aLibrary(token);
    const key = newId("evt");
    const first = await register(libraryId, { semanticVersion: "1.0.0" }, { key });
    const second = await register(libraryId, { semanticVersion: "1.0.0" }, { key });
    expect(second.value).toEqual(first.value);
    expect((await register(libraryId, { semanticVersion: "2.0.0" }, { key })).code).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  it("lists every value that is not valid", async () => {
    const { code, error } = await register(await aLibrary(token), {
      semanticVersion: "one",
      targetFrameworks: ["gameboy"],
      maxRuntime: "gameboy",
      dependencies: [{ packageName: "a b", range: "[2,1]", targetFramework: "gameboy" }],
      dependencyGroups: ["gameboy"],
      deprecation: { reason: "Other", alternatePackage: { packageName: "a b" } },
      publish: false,
    });
    expect(code).toBe("LIBRARIES_INVALID");
    expect(pointersOf(error)).toEqual([
      "/dependencies/0/packageName",
      "/dependencies/0/range",
      "/dependencies/0/targetFramework",
      "/dependencyGroups",
      "/deprecation",
      "/deprecation/alternatePackage/packageName",
      "/maxRuntime",
      "/semanticVersion",
      "/targetFrameworks",
    ]);
  });

  it.each(["(3.0.0,3.0.0)", "(1.0,1.0)", "", " "])("refuses the range %j, which contains no version", async (range) => {
    const dependency = [{ packageName: "A", range }];
    const input = { semanticVersion: "1.0.0", dependencies: dependency, conflictsWith: dependency };
    const { code, error } = await register(await aLibrary(token), input);
    expect([code, error?.["status"]]).toEqual(["LIBRARIES_INVALID", 422]);
    expect(pointersOf(error)).toEqual(["/conflictsWith/0/range", "/dependencies/0/range"]);
  });

  it.each([["file:///etc/passwd"], ["javascript:alert(1)"], ["no url"]])(
    "refuses the advisory URL %s",
    async (advisoryUrl) => {
      const input = { semanticVersion: "1.0.0", vulnerabilities: [{ severity: "Low", advisoryUrl }] };
      expect((await register(newId("lib"), input)).code).toBe("VALIDATION_FAILED");
    },
  );
});

describe("the life of a library version", () => {
  it("may begin with Registered, where searches and evaluations ignore the version", async () => {
    const packageName = aPackageName();
    const capability = packageName.replace(".", "");
    const libraryId = await aLibrary(token, {
      packageName,
      capabilities: [{ name: capability }],
      versions: [{ semanticVersion: "1.0.0" }],
    });
    const latest = async () => {
      const searchAnswer = await request("POST /v1/libraries/search", { token, body: { capability } });
      return searchAnswer.body["results"]?.[0]?.["latestVersion"];
    };
    const { value } = await register(libraryId, { semanticVersion: "2.0.0", publish: false });
    expect(value["status"]).toBe("Registered");
    expect([await evaluated(packageName, "2.0.0"), await latest()]).toEqual([
      { compatible: false, rules: ["LibraryVersionNotFound"] },
      "1.0.0",
    ]);
    expect((await publish(String(value["libraryVersionId"]))).value).toEqual({ status: "Published" });
    expect([await evaluated(packageName, "2.0.0"), await latest()]).toEqual([{ compatible: true, rules: [] }, "2.0.0"]);
  });

  it("continues with Deprecated and Retired, and a set with a retired version is incompatible", async () => {
    const packageName = aPackageName();
    const libraryId = await aLibrary(token, { packageName, versions: [{ semanticVersion: "1.0.0" }] });
    const library = await ask(`{ library(libraryId: "${libraryId}") { versions: allVersions { libraryVersionId } } }`);
    const id = String(library.value["versions"]?.[0]?.["libraryVersionId"]);
    const deprecation = {
      reason: "CriticalBugs",
      message: "Loses messages.",
      alternatePackage: { packageName: "New", range: "[2,)" },
    };
    expect((await deprecate(id, deprecation)).value).toMatchObject({ status: "Deprecated", deprecation });
    expect((await retire(id)).value).toEqual({ status: "Retired", retirementReason: "It leaks." });
    expect(await evaluated(packageName, "1.0.0")).toEqual({ compatible: false, rules: ["LibraryVersionRetired"] });
  });

  it("accepts a reason of the list, with the same limits as for template versions", async () => {
    const id = await aVersion();
    expect((await deprecate(id, { reason: "Whim" })).code).toBe("VALIDATION_FAILED");
    expect((await deprecate(id, { reason: "Other", message: "" })).code).toBe("VALIDATION_FAILED");
    const registration = await register(await aLibrary(token), {
      semanticVersion: "1.0.0",
      deprecation: { reason: "Whim" },
    });
    expect(registration.code).toBe("VALIDATION_FAILED");
  });

  it("allows no transition back and no transition twice", async () => {
    const version = await aVersion();
    const invalidState = (currentState: string, allowedStates: string[]) => ({
      code: "INVALID_STATE",
      error: { status: 409, currentState, allowed: allowedStates },
    });
    expect(await publish(version)).toMatchObject(invalidState("Published", ["Registered"]));
    await deprecate(version);
    expect(await deprecate(version)).toMatchObject(invalidState("Deprecated", ["Published"]));
    await retire(version);
    expect(await retire(version)).toMatchObject(invalidState("Retired", ["Published", "Deprecated"]));
    expect(await deprecate(version)).toMatchObject(invalidState("Retired", ["Published"]));
    const waiting = await aVersion({ publish: false });
    expect(await deprecate(waiting)).toMatchObject(invalidState("Registered", ["Published"]));
  });

  it("makes a transition once when two requests come at the same time", async () => {
    const version = await aVersion();
    const answers = await Promise.all([deprecate(version), deprecate(version), deprecate(version)]);
    expect(answers.filter(({ code }) => code === "INVALID_STATE")).toHaveLength(2);
  });

  it("returns the stored answer for the same Idempotency-Key", async () => {
    const [version, key] = [await aVersion(), newId("evt")];
    const first = await retire(version, { key });
    expect(await retire(version, { key })).toMatchObject({ value: first.value, code: undefined });
  });

  it("begins with Deprecated when the input has a deprecation", async () => {
    const { value } = await register(await aLibrary(token), {
      semanticVersion: "1.0.0",
      deprecation: { reason: "Legacy" },
    });
    expect(value).toMatchObject({
      status: "Deprecated",
      deprecation: { reason: "Legacy", message: null, alternatePackage: null },
    });
  });

  it("emits an event for each transition", async () => {
    const tenant = await aTenant();
    const by = await tenant.tokenWith();
    const libraryId = await aLibrary(by);
    const query = 'subscription { events(after: "0") { type data } }';
    const feed = await aFeed<{ events: { type: string; data: Record<string, unknown> } }>({ token: by, query });
    const { value } = await register(libraryId, { semanticVersion: "1.0.0", publish: false }, { by });
    const id = String(value["libraryVersionId"]);
    await publish(id, { by });
    await deprecate(id, { reason: "Other", message: "Use B." }, { by });
    await retire(id, { by });
    const ownEvents = () =>
      feed.events.map(({ events }) => events).filter(({ data }) => data["libraryVersionId"] === id);
    await eventually("all events arrive", () => ownEvents().length === 4);
    expect(ownEvents().map(({ type, data }) => [type, data["status"]])).toEqual([
      ["LibraryVersionRegistered", "Registered"],
      ["LibraryVersionPublished", "Published"],
      ["LibraryVersionDeprecated", "Deprecated"],
      ["LibraryVersionRetired", "Retired"],
    ]);
    expect(ownEvents()[2]?.data).toMatchObject({ reason: "Other", message: "Use B.", alternatePackage: null });
    expect(ownEvents()[3]?.data).toMatchObject({ reason: "It leaks." });
    await feed.stop();
  });
});

describe("POST /v1/libraries", () => {
  it("accepts the optional members of its versions", async () => {
    const libraryId = await aLibrary(token, {
      capabilities: [{ name: "messaging.bus", contract: "messaging/v2", exclusive: true }, { name: "x" }],
      versions: [
        {
          semanticVersion: "1.0.0",
          consumes: ["clock/v1"],
          maxRuntime: "net9.0",
          vulnerabilities: [{ severity: "Critical", advisoryUrl: "https://example.com/2" }],
          dependencies: [{ packageName: "A", targetFramework: "net8.0" }],
          deprecation: { reason: "Legacy", message: "old" },
        },
      ],
    });
    const { value } = await ask(
      `{ library(libraryId: "${libraryId}") { capabilities { name contract exclusive } versions: allVersions { ${versionFields} } } }`,
    );
    expect(value["capabilities"]).toEqual([
      { name: "messaging.bus", contract: "messaging/v2", exclusive: true },
      { name: "x", contract: null, exclusive: false },
    ]);
    expect(value["versions"]).toEqual([
      expect.objectContaining({
        status: "Deprecated",
        consumes: ["clock/v1"],
        maxRuntime: "net9.0",
        vulnerabilities: [{ severity: "Critical", advisoryUrl: "https://example.com/2" }],
        dependencies: [{ packageName: "A", range: null, targetFramework: "net8.0" }],
        dependencyGroups: ["net8.0"],
        deprecation: { reason: "Legacy", message: "old", alternatePackage: null },
      }),
    ]);
  });

  it("refuses an unknown severity", async () => {
    const vulnerabilities = [{ severity: "Severe", advisoryUrl: "https://example.com/2" }];
    const versions = [{ semanticVersion: "1.0.0", vulnerabilities }];
    const body = { packageName: aPackageName(), versions };
    expect(await request("POST /v1/libraries", { token, body })).toMatchObject({
      status: 422,
      body: { code: "PARAMETERS_INVALID" },
    });
  });
});

describe("Mutation.importLibraryPackage", () => {
  const packages = new Map<string, Buffer>();
  let server: Server;
  let base: string;

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      const packageBytes = packages.get(incoming.url ?? "");
      response.writeHead(packageBytes === undefined ? 404 : 200).end(packageBytes);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `nupkg+http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** Serves a package. Returns its sourceRef. */
  function serve(
    id: string,
    version: string,
    more: { metadata?: string; files?: Record<string, string> } = {},
  ): string {
    const path = `/${id}.${version}.nupkg`;
    packages.set(path, aPackage({ id, version, ...more }));
    return `${base}${path}`;
  }
  const groups = `<dependencies>
      <group targetFramework=".NETStandard2.0"><dependency id="System.Memory" version="4.5.5" /></group>
      <group targetFramework="net8.0" />
    </dependencies>`;

  it("registers the library and the version of the package", async () => {
    const id = aPackageName();
    const sourceRef = serve(id, "1.2.3", {
      metadata: `<authors>Team Orders</authors><tags>orders bus</tags>${groups}`,
      files: { "lib/net8.0/Orders.dll": "MZ", "lib/netstandard2.0/Orders.dll": "MZ" },
    });
    const { value } = await importPackage({ sourceRef });
    expect(value).toEqual({
      library: {
        libraryId: expect.stringMatching(/^lib_/),
        packageName: id,
        owner: "Team Orders",
        tags: ["orders", "bus"],
        versions: [{ semanticVersion: "1.2.3" }],
      },
      version: expect.objectContaining({
        semanticVersion: "1.2.3",
        status: "Published",
        targetFrameworks: ["netstandard2.0", "net8.0"],
        dependencies: [{ packageName: "System.Memory", range: "4.5.5", targetFramework: "netstandard2.0" }],
        dependencyGroups: ["netstandard2.0", "net8.0"],
        resolvedRef: expect.stringMatching(/#sha256=[0-9a-f]{64}$/),
      }),
      warnings: [],
    });
    const search = await request("POST /v1/libraries/search", {
      token,
      body: { targetFramework: "net8.0", limit: 100 },
    });
    expect(JSON.stringify(search.body)).toContain(id);
  });

  it("adds a version to the existing library, ignoring the case of its name", async () => {
    const id = aPackageName();
    const libraryId = await aLibrary(token, { packageName: id.toUpperCase() });
    await importPackage({ sourceRef: serve(id, "1.0.0") });
    const { value } = await importPackage({ sourceRef: serve(id, "1.10.0"), libraryId });
    expect(value["library"]).toMatchObject({
      libraryId,
      packageName: id.toUpperCase(),
      versions: [{ semanticVersion: "1.10.0" }, { semanticVersion: "1.0.0" }],
    });
  });

  it("registers a library once when several of its versions are imported at the same time", async () => {
    const id = aPackageName();
    const versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"];
    const answers = await Promise.all(versions.map((version) => importPackage({ sourceRef: serve(id, version) })));
    expect(answers.map(({ code }) => code)).toEqual(versions.map(() => undefined));
    expect(new Set(answers.map(({ value }) => value["library"]?.["libraryId"])).size).toBe(1);
  });

  it("accepts a version once, and returns the stored answer for the same Idempotency-Key", async () => {
    const sourceRef = serve(aPackageName(), "1.0.0");
    const key = newId("evt");
    const first = await importPackage({ sourceRef }, { key });
    expect((await importPackage({ sourceRef }, { key })).value).toEqual(first.value);
    expect(await importPackage({ sourceRef })).toMatchObject({
      code: "LIBRARY_VERSION_EXISTS",
      error: { status: 409 },
    });
  });

  it("refuses a package with another name and a library of another tenant", async () => {
    const sourceRef = serve(aPackageName(), "1.0.0");
    const [mine, theirs] = await Promise.all([aLibrary(token), aLibrary(other)]);
    expect(await importPackage({ sourceRef, libraryId: mine })).toMatchObject({
      code: "LIBRARY_PACKAGE_INVALID",
      error: { status: 422 },
    });
    expect((await importPackage({ sourceRef, libraryId: theirs })).code).toBe("LIBRARY_NOT_FOUND");
  });

  it.each<[string, { metadata?: string; files?: Record<string, string> }, RegExp]>([
    [
      "a template pack",
      { metadata: '<packageTypes><packageType name="Template" /></packageTypes>' },
      /has the type Template/,
    ],
    [
      "a tool",
      { metadata: '<packageTypes><packageType name="DotnetTool" /></packageTypes>' },
      /has the type DotnetTool/,
    ],
    ["a broken nuspec", { metadata: "<oops>" }, /not well-formed/],
    ["an unknown framework", { files: { "lib/gameboy1/A.dll": "MZ" } }, /unknown frameworks only: gameboy1/],
  ])("refuses %s and stores nothing", async (_, more, says) => {
    const id = aPackageName();
    const { code, error } = await importPackage({ sourceRef: serve(id, "1.0.0", more) });
    expect([code, error?.["status"]]).toEqual(["LIBRARY_PACKAGE_INVALID", 422]);
    expect(error?.["errors"]).toEqual([expect.objectContaining({ detail: expect.stringMatching(says) })]);
    const remainingList = await ask(`{ libraries(filter: { packageNamePrefix: "${id}" }) { totalCount } }`);
    expect(remainingList.value).toEqual({ totalCount: 0 });
  });

  it("refuses a package that cannot be fetched or that is not allowed", async () => {
    expect(await importPackage({ sourceRef: `${base}/nothing.nupkg` })).toMatchObject({
      code: "LIBRARY_PACKAGE_INVALID",
      error: { status: 422, reason: "SOURCE_UNAVAILABLE" },
    });
    for (const sourceRef of ["nupkg+https://user:secret@example.com/a.nupkg", "git+https://example.com/a.git", "x"])
      expect((await importPackage({ sourceRef })).code).toBe("SOURCE_REF_INVALID");
  });

  it("gives two tenants separate libraries with the same name", async () => {
    const sourceRef = serve(aPackageName(), "1.0.0");
    const [ownImport, another] = [
      await importPackage({ sourceRef }),
      await importPackage({ sourceRef }, { by: other }),
    ];
    expect(ownImport.value["library"]?.["libraryId"]).not.toBe(another.value["library"]?.["libraryId"]);
    expect(another.code).toBeUndefined();
  });
});

describe("Library.versions", () => {
  const numbers = ["1.10.0", "1.9.0", "1.2.0", "1.0.0-beta.2"];

  it("is read in pages from both ends, the highest version first, and all at once", async () => {
    const token = await (await aTenant()).tokenWith();
    const versions = numbers.map((semanticVersion) => ({ semanticVersion })).reverse();
    const libraryId = await aLibrary(token, { versions });
    const read = async (bounds: string) => {
      const query = `{ library(libraryId: "${libraryId}") { allVersions { semanticVersion }
        versions${bounds} { items { semanticVersion } nextCursor pageInfo { hasNextPage hasPreviousPage startCursor } } } }`;
      const { body } = await graphql(query, { token });
      const page = body.data["library"]?.["versions"] as Json;
      const texts = (of: Json) => (of as unknown as { semanticVersion: string }[]).map((each) => each.semanticVersion);
      expect(texts(body.data["library"]?.["allVersions"] as Json)).toEqual(numbers);
      return {
        items: texts(page["items"] as Json),
        nextCursor: page["nextCursor"],
        pageInfo: page["pageInfo"] as Json,
      };
    };
    expect((await read("")).items).toEqual(numbers);
    const firstPage = await read("(first: 3)");
    expect([firstPage.items, firstPage.pageInfo["hasNextPage"]]).toEqual([numbers.slice(0, 3), true]);
    expect((await read(`(first: 3, after: "${String(firstPage.nextCursor)}")`)).items).toEqual(numbers.slice(3));
    const lastPage = await read("(last: 1)");
    expect([lastPage.items, lastPage.pageInfo["hasPreviousPage"]]).toEqual([numbers.slice(3), true]);
    const before = String(lastPage.pageInfo["startCursor"]);
    expect((await read(`(last: 2, before: "${before}")`)).items).toEqual(numbers.slice(1, 3));
    const { body } = await graphql(
      `{ library(libraryId: "${libraryId}") { packageName versions(first: 1, after: "x") { items { status } } } }`,
      { token },
    );
    expect(body.errors?.[0]?.extensions.code).toBe("INVALID_CURSOR");
  });
});

describe("Query.libraries", () => {
  let by: string;
  let foreign: string;
  const list = (args: object = {}, options: object = { by }) =>
    ask(
      `query ($first: Int, $after: String, $filter: LibraryFilterInput) {
         libraries(first: $first, after: $after, filter: $filter) {
           edges { cursor node { packageName } } items { packageName versions { items { semanticVersion } } }
           nextCursor totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      args,
      options,
    );
  const names = ({ value }: Answer) =>
    (value["items"] as unknown as { packageName: string }[]).map(({ packageName }) => packageName);

  beforeAll(async () => {
    const [ownTenant, another] = await Promise.all([aTenant(), aTenant()]);
    [by, foreign] = await Promise.all([ownTenant.tokenWith(), another.tokenWith()]);
    const make = (packageName: string, more: object = {}) => aLibrary(by, { packageName, ...more });
    await make("Beta.Bus", { area: "Messaging", owner: "Team-A", tags: ["bus", "io"] });
    await make("acme.orders", { area: "Sales", owner: "team-a", versions: [{ semanticVersion: "1.0.0" }] });
    await make("Acme.Bills", { area: "sales", tags: ["io"] });
    await make("Zeta_1");
    await aLibrary(foreign, { packageName: "Acme.Orders", area: "Sales" });
  });

  it("refuses a state that no library has", async () => {
    expect((await list({ filter: { status: "Active" } })).code).toBeUndefined();
    expect((await list({ filter: { status: "Gone" } })).code).toBe("VALIDATION_FAILED");
  });

  it("lists by name, ignoring case", async () => {
    const answer = await list();
    expect(names(answer)).toEqual(["Acme.Bills", "acme.orders", "Beta.Bus", "Zeta_1"]);
    expect(answer.value).toMatchObject({ nextCursor: null, totalCount: 4, pageInfo: { hasNextPage: false } });
    expect(answer.value["items"]?.[1]?.["versions"]).toEqual({ items: [{ semanticVersion: "1.0.0" }] });
  });

  it("lists each library once in pages, also libraries that are registered in the meantime", async () => {
    const first = await list({ first: 2 });
    expect(first.value).toMatchObject({
      totalCount: 4,
      pageInfo: { hasNextPage: true, hasPreviousPage: false, endCursor: first.value["nextCursor"] },
    });
    await aLibrary(by, { packageName: "Acme.Aaa" });
    await aLibrary(by, { packageName: "Center" });
    const second = await list({ first: 2, after: first.value["nextCursor"] });
    expect(names(second)).toEqual(["Beta.Bus", "Center"]);
    expect(second.value).toMatchObject({ totalCount: 6, pageInfo: { hasPreviousPage: true } });
    expect(names(await list({ first: 2, after: second.value["nextCursor"] }))).toEqual(["Zeta_1"]);
  });

  it.each([
    [{ area: "SALES" }, ["Acme.Bills", "acme.orders"]],
    [{ owner: "team-a" }, ["acme.orders", "Beta.Bus"]],
    [{ tag: "io" }, ["Acme.Bills", "Beta.Bus"]],
    [{ tag: "IO" }, []],
    [{ packageNamePrefix: "ACME.o" }, ["acme.orders"]],
    [{ packageNamePrefix: "%" }, []],
    [{ packageNamePrefix: "zeta_" }, ["Zeta_1"]],
    [{ area: "Sales", tag: "io", status: "Active" }, ["Acme.Bills"]],
  ])("filters by %j", async (filter, expectedNames) => {
    const answer = await list({ filter });
    expect(names(answer)).toEqual(expectedNames);
    expect(answer.value["totalCount"]).toBe(expectedNames.length);
  });

  it("refuses a cursor of another list, filter or tenant, and a page size below 1", async () => {
    const after = (await list({ first: 1 })).value["nextCursor"];
    for (const [args, options] of [
      [{ after, filter: { area: "Sales" } }, { by }],
      [{ after }, { by: foreign }],
      [{ after: "x" }, { by }],
    ] as const)
      expect((await list(args, options)).code).toBe("INVALID_CURSOR");
    expect((await list({ first: 0 })).code).toBe("VALIDATION_FAILED");
  });
});
