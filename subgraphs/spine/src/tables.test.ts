import { schemaDrift } from "@factory/runtime/unit-of-work/write-migration";
import { RunningSpine } from "./running-spine.fixture.js";
import { spineTables } from "./tables.js";

let platform: RunningSpine;
beforeAll(async () => {
  platform = await RunningSpine.start();
});
afterAll(() => platform?.stop());

describe("spine migrations", () => {
  it("make exactly what the entities describe", async () => {
    expect(await schemaDrift({ connections: platform.connections, ...spineTables })).toBe("");
  });
});
