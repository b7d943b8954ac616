import { shuffled } from "./choice.js";
import { failureIn, flagsOf } from "./report.js";
import { reachingSuites, runsFor } from "./suites.js";

const imports = [
  ["subgraphs/a/src/roles/role.test.ts", "subgraphs/a/src/roles/role.ts"],
  ["subgraphs/a/src/roles/role.resolver.ts", "subgraphs/a/src/roles/role.ts"],
  ["subgraphs/a/src/roles/role.resolver.test.ts", "subgraphs/a/src/roles/role.resolver.ts"],
].map(([from = "", to = ""]) => ({ from, to, names: [] }));
const role = "subgraphs/a/src/roles/role.ts";

describe("the suites that look for a fault", () => {
  it("reach the file by imports, the nearest first", () => {
    expect(reachingSuites(role, imports)).toEqual([
      "subgraphs/a/src/roles/role.test.ts",
      "subgraphs/a/src/roles/role.resolver.test.ts",
    ]);
  });

  it("are followed by the house rules, those of the slice and the walks", () => {
    const stack = ["test/rest/roles.test.ts", "test/rest/users.test.ts", "test/graphql/root-fields.test.ts"];
    const kills = "test/faults/role-kills.test.ts";
    const house = "test/house/names.test.ts";
    expect(runsFor(role, [...stack, kills, house], imports)).toEqual([
      reachingSuites(role, imports),
      [house],
      ["test/rest/roles.test.ts"],
      ["test/graphql/root-fields.test.ts"],
      [kills],
    ]);
  });
});

describe("the choice of faults", () => {
  const items = Array.from({ length: 20 }, (_, at) => at);

  it("is the same for the same seed and rule", () => {
    expect(shuffled(items, 7, "a rule")).toEqual(shuffled(items, 7, "a rule"));
    expect(shuffled(items, 7, "a rule")).not.toEqual(shuffled(items, 8, "a rule"));
    expect(shuffled(items, 7, "a rule").toSorted((a, b) => a - b)).toEqual(items);
  });
});

describe("a run of Jest", () => {
  it("has the flags of Node that the checkout uses", () => {
    const before = "npm run -s build && node --experimental-vm-modules --no-warnings node_modules/jest/bin/jest.js";
    expect(flagsOf(before)).toEqual(["--experimental-vm-modules", "--no-warnings"]);
  });

  it("names the first case that has failed", () => {
    const failureText =
      "FAIL spine subgraphs/a/b.test.ts (3 s)\n  a rule\n  ● a rule › holds\n\n    expect(1)\n  ● a rule › more\n";
    expect(failureIn(`PASS spine c.test.ts\n${failureText}`)).toEqual({
      suite: "subgraphs/a/b.test.ts",
      title: "a rule › holds",
    });
    expect(failureIn("no memory").suite).toBe("");
  });
});
