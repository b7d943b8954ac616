import { moduleListProblems } from "@factory/runtime/subgraph/module-list.fixture";
import { undeclaredIds } from "@factory/runtime/subgraph/object-links.fixture";
import { spineModules } from "./modules.js";

describe("the modules of the spine", () => {
  it("declare every entity and every emitted event type once", async () => {
    expect(await moduleListProblems("spine", spineModules, new URL("./", import.meta.url))).toEqual([]);
  });

  it("declare the object for every field with an id", () => {
    expect(undeclaredIds("spine", spineModules)).toEqual([]);
  });
});
