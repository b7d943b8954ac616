import { Registry } from "prom-client";
import { backupMetrics } from "./backup-metrics.js";

describe("the metric of the last backup", () => {
  it("is its time, and 0 before the first one", async () => {
    const registry = new Registry();
    let seconds = 0;
    backupMetrics(registry, async () => seconds);
    expect(await registry.metrics()).toContain("\nbackup_last_success_timestamp_seconds 0\n");
    seconds = 1_800_000_000.5;
    expect(await registry.metrics()).toContain("\nbackup_last_success_timestamp_seconds 1800000000.5\n");
  });

  it("has no value while the database does not answer", async () => {
    const registry = new Registry();
    backupMetrics(registry, () => Promise.reject(new Error("gone")));
    expect(await registry.metrics()).not.toContain("\nbackup_last_success_timestamp_seconds ");
  });
});
