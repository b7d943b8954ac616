import { moduleListProblems } from "@factory/runtime/subgraph/module-list.fixture";
import { undeclaredIds } from "@factory/runtime/subgraph/object-links.fixture";
import { catalogModules } from "./modules.js";

describe("the modules of the catalog", () => {
  it("declare every entity and every emitted event type once", async () => {
    expect(await moduleListProblems("catalog", catalogModules, new URL("./", import.meta.url))).toEqual([]);
  });

  it("declare the object for every field with an id", () => {
    expect(undeclaredIds("catalog", catalogModules)).toEqual([]);
  });
});
