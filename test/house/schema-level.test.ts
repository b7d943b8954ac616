import { thisRelease, uncountedChanges } from "@factory/runtime/provisioning/schema-level";
import { trackedFiles } from "./tracked-files.js";

it("the schema level rises by one with each migration", () => {
  const migrations = trackedFiles().filter((file) => /^subgraphs\/\w+\/src\/migrations\/Migration\w+\.ts$/.test(file));
  expect(thisRelease.level).toBe(migrations.length + uncountedChanges);
});

it("a release is a companion of itself", () => {
  expect(thisRelease.lowestCompanion).toBeLessThanOrEqual(thisRelease.level);
});
