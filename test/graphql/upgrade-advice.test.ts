import { graphql, type Json, request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

const document = `query ($runtime: String!, $libraries: [LibraryReferenceInput!]!) {
  libraryUpgradeAdvice(runtime: $runtime, libraries: $libraries) {
  upgrades { packageName from to jump newest verified notNewer { version rule packageName } }
  proposal { compatible libraries { packageName version } changes { packageName from to jump } } complete } }`;

interface Dependency {
  packageName: string;
  range: string;
}

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  const library = async (packageName: string, versions: Record<string, Dependency[]>) => {
    const body = {
      packageName,
      versions: Object.entries(versions).map(([semanticVersion, dependencies]) => ({ semanticVersion, dependencies })),
    };
    expect((await request("POST /v1/libraries", { token, body })).status).toBe(201);
  };
  const asks = (packageName: string, range: string) => [{ packageName, range }];
  await library("Base", { "1.0.0": [], "1.4.0": [], "2.0.0": [], "3.0.0-beta": [] });
  await library("Uses.Base", { "1.0.0": asks("Base", "[1.0.0, 2.0.0)"), "1.1.0": asks("Base", "[1.0.0, 2.0.0)") });
  await library("Deep.3", { "1.0.0": asks("Base", "1.0.0") });
  await library("Deep.2", { "1.0.0": asks("Deep.3", "1.0.0") });
  await library("Deep.1", { "1.0.0": asks("Deep.2", "1.0.0") });
});

const ask = async (libraries: { packageName: string; version: string }[], as = token, runtime = "net10.0") =>
  (await graphql<Json>(document, { token: as, variables: { runtime, libraries } })).body;

describe("libraryUpgradeAdvice", () => {
  it("names the newest versions that are compatible, and the reason why a package is held back", async () => {
    const { data } = await ask([
      { packageName: "Base", version: "1.0.0" },
      { packageName: "Uses.Base", version: "1.0.0" },
    ]);
    const { upgrades, proposal, complete } = data["libraryUpgradeAdvice"];
    expect(complete).toBe(true);
    expect(upgrades).toMatchObject([
      { packageName: "Base", from: "1.0.0", to: "1.4.0", jump: "Minor", newest: "2.0.0", verified: true },
      { packageName: "Uses.Base", from: "1.0.0", to: "1.1.0", verified: true },
    ]);
    expect(upgrades[0]).toMatchObject({ notNewer: { version: "2.0.0", packageName: "Uses.Base" } });
    expect(proposal).toMatchObject({
      compatible: true,
      libraries: [
        { packageName: "Base", version: "1.4.0" },
        { packageName: "Uses.Base", version: "1.1.0" },
      ],
    });
  });

  it("does not use versions of another tenant, and refuses the input that evaluations refuse", async () => {
    const stranger = await (await aTenant()).tokenWith();
    const { data } = await ask([{ packageName: "Base", version: "1.0.0" }], stranger);
    expect(data["libraryUpgradeAdvice"]).toMatchObject({ upgrades: [], proposal: null });
    const code = async (...parameters: Parameters<typeof ask>) =>
      (await ask(...parameters)).errors?.[0]?.extensions.code;
    expect(await code([], token, "net-eight")).toBe("RUNTIME_NOT_RECOGNISED");
    expect(await code([{ packageName: "a b", version: "1" }])).toBe("LIBRARIES_INVALID");
    const long = { packageName: "a".repeat(101), version: "1.0.0" };
    expect(await code([long])).toBe("VALIDATION_FAILED");
    const many = Array.from({ length: 201 }, (_, at) => ({ packageName: `P${at}`, version: "1.0.0" }));
    expect(await code(many)).toBe("VALIDATION_FAILED");
  });
});

describe("an evaluation", () => {
  it("ignores packages that another tenant has registered under the same names", async () => {
    const stranger = await (await aTenant()).tokenWith();
    const libraries = [
      { packageName: "Base", version: "2.0.0" },
      { packageName: "Uses.Base", version: "1.0.0" },
    ];
    const evaluate = async (as: string) =>
      (
        await request<{ compatible: boolean; advisories: { code: string; packageName: string }[] }>(
          "POST /v1/libraries/compatibility/evaluate",
          { token: as, body: { runtime: "net10.0", libraries } },
        )
      ).body;
    expect((await evaluate(token)).compatible).toBe(false);
    const foreign = await evaluate(stranger);
    expect(foreign.compatible).toBe(true);
    expect(
      foreign.advisories.filter(({ code }) => code === "LibraryUnknown").map(({ packageName }) => packageName),
    ).toEqual(["Base", "Uses.Base"]);
  });

  const evaluate = async (version: string) =>
    (
      await request<{ violations: { rule: string; detail: string }[] }>("POST /v1/libraries/compatibility/evaluate", {
        token,
        body: {
          runtime: "net10.0",
          libraries: [
            { packageName: "Deep.1", version: "1.0.0" },
            { packageName: "Base", version },
          ],
        },
      })
    ).body.violations;

  it("follows dependencies of any depth, and sees a change at once", async () => {
    expect(await evaluate("1.0.0")).toEqual([]);
    const libraryList = await graphql<Json>("{ libraries(first: 50) { items { libraryId packageName } } }", { token });
    const deep = (
      libraryList.body.data["libraries"]["items"] as unknown as { libraryId: string; packageName: string }[]
    ).find(({ packageName }) => packageName === "Deep.3");
    const version = { semanticVersion: "1.0.1", dependencies: [{ packageName: "Base", range: "1.4.0" }] };
    const registration = await graphql<Json>(
      `mutation ($id: ID!, $input: RegisterLibraryVersionInput!) {
        registerLibraryVersion(libraryId: $id, input: $input) { libraryVersionId } }`,
      { token, variables: { id: deep?.libraryId, input: version } },
    );
    expect(registration.body.errors).toBeUndefined();
    // the lowest version that satisfies the range is still 1.0.0; only a higher requirement selects the new one
    expect(await evaluate("1.0.0")).toEqual([]);
    await request("POST /v1/libraries", {
      token,
      body: {
        packageName: "Deep.0",
        versions: [{ semanticVersion: "1.0.0", dependencies: [{ packageName: "Deep.3", range: "1.0.1" }] }],
      },
    });
    const { body: answer } = await request<{ violations: { rule: string; detail: string }[] }>(
      "POST /v1/libraries/compatibility/evaluate",
      {
        token,
        body: {
          runtime: "net10.0",
          libraries: [
            { packageName: "Deep.0", version: "1.0.0" },
            { packageName: "Base", version: "1.0.0" },
          ],
        },
      },
    );
    expect(answer.violations.map(({ rule }) => rule)).toEqual(["LibraryDowngraded"]);
  });
});
