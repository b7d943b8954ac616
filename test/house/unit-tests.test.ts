import { unitTests } from "./unit-tests.js";

const imports = [
  {
    from: "subgraphs/spine/src/people/users/user.test.ts",
    to: "subgraphs/spine/src/people/users/users.fixture.ts",
    names: ["x"],
  },
  {
    from: "subgraphs/spine/src/people/users/users.fixture.ts",
    to: "subgraphs/runtime/src/postgres/server.ts",
    names: ["x"],
  },
  {
    from: "subgraphs/spine/src/people/users/email-key.test.ts",
    to: "subgraphs/spine/src/people/users/email-key.ts",
    names: ["x"],
  },
];

describe("unitTests", () => {
  it("leaves out a test that reaches the starter of a process through other files", () => {
    const tests = [
      "subgraphs/spine/src/people/users/user.test.ts",
      "subgraphs/spine/src/people/users/email-key.test.ts",
    ];
    const starters = new Set(["subgraphs/runtime/src/postgres/server.ts"]);
    expect(unitTests(tests, imports, starters)).toEqual(["subgraphs/spine/src/people/users/email-key.test.ts"]);
  });
});
