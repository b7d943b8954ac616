import { moduleListProblems } from "@factory/runtime/subgraph/module-list.fixture";
import { tableOwners } from "@factory/runtime/subgraph/module-tables";
import { undeclaredIds } from "@factory/runtime/subgraph/object-links.fixture";
import { integrationModules } from "./modules.js";

describe("the modules of the integration subgraph", () => {
  it("declare every entity and every emitted event type once", async () => {
    expect(await moduleListProblems("integration", integrationModules, new URL("./", import.meta.url))).toEqual([]);
  });

  it("say which slice owns a table", () => {
    expect(tableOwners(integrationModules)).toMatchObject({
      webhook_messages: "webhook-messages",
      event_log_heads: "event-log",
    });
  });

  it("declare the object for every field with an id", () => {
    expect(undeclaredIds("integration", integrationModules)).toEqual([]);
  });
});
