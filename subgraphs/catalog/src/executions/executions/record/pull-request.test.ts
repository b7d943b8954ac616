import type { PullRequestFacts } from "../../../git/source-control/source-control.js";
import { afterReport, pullRequestKey, type StoredPullRequest } from "./pull-request.js";

const time = (second: number) => new Date(1_800_000_000_000 + second * 1_000).toISOString();

function report(state: PullRequestFacts["state"], changedAt: number | null): PullRequestFacts {
  const at = changedAt === null ? null : time(changedAt);
  const endTime = state === "Open" ? null : at;
  return {
    ...{ number: 7, url: "https://vendor.example/7", state, changedAt: at },
    ...{ openedAt: time(0), mergedAt: state === "Merged" ? endTime : null, closedAt: endTime },
  };
}

const stateAfter = (...reports: PullRequestFacts[]) =>
  reports.reduce<StoredPullRequest | null>((storedReport, nextReport) => afterReport(storedReport, nextReport), null)
    ?.state;

describe("the pull request of an execution", () => {
  const [openReport, closeReport, reopenReport] = [report("Open", 0), report("Closed", 5), report("Open", 9)];

  it("follows the reports of its vendor", () => {
    expect(stateAfter(openReport, closeReport)).toBe("Closed");
    expect(stateAfter(openReport, closeReport, reopenReport)).toBe("Open");
    expect(stateAfter(openReport, report("Merged", 9))).toBe("Merged");
  });

  it("keeps its state when reports come late, twice or in another order", () => {
    expect(stateAfter(openReport, closeReport, openReport)).toBe("Closed");
    expect(stateAfter(closeReport, openReport, closeReport)).toBe("Closed");
    expect(stateAfter(reopenReport, closeReport)).toBe("Open");
    const mergeReport = report("Merged", 9);
    for (const late of [openReport, closeReport, reopenReport, report("Open", 99)])
      expect(afterReport(afterReport(null, mergeReport), late)).toEqual(afterReport(null, mergeReport));
  });

  it("is closed when its vendor tells two states for one second, and open only for certain", () => {
    expect(stateAfter(report("Open", 3), report("Closed", 3))).toBe("Closed");
    expect(stateAfter(report("Closed", 3), report("Open", 3))).toBe("Closed");
    expect(stateAfter(report("Closed", 3), report("Open", null))).toBe("Closed");
    expect(stateAfter(report("Open", 3), report("Closed", null))).toBe("Closed");
  });

  it("keeps the time of its opening, and is found in any case of its repository", () => {
    const storedReport = afterReport(null, openReport);
    expect(afterReport(storedReport, { ...closeReport, openedAt: null }).openedAt).toBe(time(0));
    expect(pullRequestKey("Acme/Orders.git", 7)).toBe(pullRequestKey("acme/orders", 7));
  });
});
