import { RunningSpine } from "../../../running-spine.fixture.js";
import { pastYear, TenantReports } from "../report.fixture.js";

describe("the limits of a tenant", () => {
  it("are the runs that have not ended, and the contents that a tenant stores, each of 4 KiB at least", async () => {
    const limits = { openRuns: 1, storedRuns: 2, storedBytes: 4096, runBytes: 200 };
    const small = await RunningSpine.start({ reportLimits: limits });
    const tenant = new TenantReports(small, await small.activeTenant("limited"));
    const set = (change: string) => small.admin.query(`update report_runs set ${change}`);
    const tooLarge = await tenant.generated("audit-log", "json");
    expect(tooLarge).toMatchObject({ status: "Failed", error: { code: "REPORT_TOO_LARGE" }, sizeBytes: null });
    expect((await tenant.eventsOf(tooLarge.reportRunId)).map(({ type }) => type)).toEqual([
      ...["ReportRunQueued", "ReportRunStarted", "ReportRunFailed"],
    ]);
    const refusedRequest = async () => {
      const { refusal } = await tenant.request("usage-summary", { format: "csv", parameters: pastYear });
      return [refusal?.["code"], refusal?.["limit"]];
    };
    expect(await tenant.generated("usage-summary")).toMatchObject({ status: "Completed" });
    expect(await refusedRequest()).toEqual(["CONFLICT", 4096]);
    await set("status = 'Completed' where status = 'Failed'");
    expect(await refusedRequest()).toEqual(["CONFLICT", 2]);
    await set("status = 'Queued' where size_bytes is null");
    expect(await refusedRequest()).toEqual(["RATE_LIMITED", undefined]);
    await small.stop();
  });
});
