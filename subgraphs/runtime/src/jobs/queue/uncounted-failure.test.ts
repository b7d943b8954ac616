import { DatabaseUnavailable } from "../../errors/database-failure.js";
import { FileOutage } from "../../errors/file-failure.js";
import { uncountedFailure } from "./uncounted-failure.js";

const running = { isStopping: false, outageDelaySeconds: 7 };

describe("a failure of a job", () => {
  it("counts unless it is a planned stop or an outage", () => {
    expect(uncountedFailure(new Error("The template is wrong"), running)).toBeUndefined();
    const outage = { delaySeconds: 7, isBlameless: false };
    expect(uncountedFailure(new DatabaseUnavailable("Lost", "away"), running)).toEqual(outage);
    expect(uncountedFailure(new FileOutage("ENOSPC", "full"), running)).toEqual(outage);
  });

  it("does not count at a planned stop, and the job runs again at once", () => {
    const stop = { ...running, isStopping: true };
    expect(uncountedFailure(new Error("aborted"), stop)).toEqual({ delaySeconds: 0, isBlameless: false });
  });
});
