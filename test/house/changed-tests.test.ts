import { changedTests } from "./changed-tests.js";
import type { Import } from "./import-graph.js";
import { namedFiles } from "./named-files.js";

const way = (from: string, to: string): Import => ({ from, to, names: ["x"] });

const users = "subgraphs/spine/src/people/users";
const listing = "subgraphs/runtime/src/subgraph/tracked-files.fixture.ts";
const ways = [
  way(`${users}/user.test.ts`, `${users}/user.fixture.ts`),
  way(`${users}/user.fixture.ts`, `${users}/user.service.ts`),
  way(`${users}/email-key.test.ts`, `${users}/email-key.ts`),
  way("gateway/platform/src/main.ts", `${users}/user.service.ts`),
  way("test/house/names.test.ts", listing),
];
const tests = [
  `${users}/user.test.ts`,
  `${users}/email-key.test.ts`,
  "test/house/names.test.ts",
  "test/rest/users.test.ts",
  "test/faults/kill.test.ts",
];
const none = { all: undefined, reaching: [], reading: [], stack: [], ofPlatform: undefined };
const reading = ["test/house/names.test.ts"];

describe("changedTests", () => {
  it("are none without a change", () => {
    expect(changedTests(tests, [], ways)).toEqual(none);
  });

  it("reach a changed file through other files, list sources, or call the platform that reaches it", () => {
    expect(changedTests(tests, [`${users}/user.service.ts`], ways)).toEqual({
      ...none,
      reaching: [`${users}/user.test.ts`],
      reading,
      stack: ["test/rest/users.test.ts", "test/faults/kill.test.ts"],
      ofPlatform: `${users}/user.service.ts`,
    });
  });

  it("call no platform when only a fixture or a test has changed", () => {
    expect(changedTests(tests, [`${users}/user.fixture.ts`, "test/rest/users.test.ts"], ways)).toEqual({
      ...none,
      reaching: [`${users}/user.test.ts`, "test/rest/users.test.ts"],
      reading,
    });
  });

  it.each(["package-lock.json", "gateway/package.json", "tsconfig.base.json", "jest.config.js", "test/runner/a.ts"])(
    "are all tests after a change of %s",
    (file) => {
      expect(changedTests(tests, [`${users}/email-key.ts`, file], ways)).toEqual({
        ...none,
        all: file,
        reaching: tests,
      });
    },
  );
});

describe("a module names", () => {
  const files = [
    "gateway/platform/src/main.ts",
    "test/bench/main.ts",
    "test/fixtures/web-api-template/src/Program.cs",
    "subgraphs/runtime/src/jobs/child-work.fixture.ts",
    "schema/supergraph.graphql",
  ];
  const from = "gateway/platform/src/client/platform-process.ts";

  it.each([
    ['new URL("../../dist/main.js", import.meta.url)', ["gateway/platform/src/main.ts"]],
    ['new URL("../../../../test/fixtures/web-api-template", import.meta.url)', [files[2]]],
    ["compiled(`jobs/child-work.fixture.js`)", [files[3]]],
    ['compiled("child-work.fixture")', [files[3]]],
    ['import.meta.resolve("@factory/schema/supergraph.graphql")', [files[4]]],
    ['join(import.meta.dirname, "../..", "../../src", "main")', []],
  ])("with %s: %j", (source, expectedFiles) => {
    expect(namedFiles(from, source, files)).toEqual(expectedFiles);
  });
});
