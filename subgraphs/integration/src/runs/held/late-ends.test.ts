import { DatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { LateEnds } from "./late-ends.js";

const failure = new Error("the end could not be stored");

/** The ends that were tried in the first round, where the first fails with this error. */
async function stored(error: Error): Promise<string[]> {
  const ends = new LateEnds(createLogger("test", "silent"));
  const triedEnds: string[] = [];
  await new Promise<void>((resolve) => {
    ends.add("one", failure, async () => {
      triedEnds.push("one");
      resolve();
      throw error;
    });
    ends.add("other", failure, async () => triedEnds.push("other"));
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await ends.stop();
  return triedEnds;
}

describe("ends that are stored later", () => {
  it("do not wait for one whose own work fails", async () => {
    expect(await stored(new Error("a defect"))).toEqual(["one", "other"]);
  });

  it("wait while the database is away", async () => {
    expect(await stored(new DatabaseUnavailable("Lost", "away"))).toEqual(["one"]);
  });
});
