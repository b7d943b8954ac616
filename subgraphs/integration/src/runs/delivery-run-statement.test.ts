import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { allRuns, runsOfDelivery } from "./delivery-run-statement.js";

it("the runs of a delivery have ids from a minute before it to a minute after its latest run", () => {
  expect(runsOfDelivery("019ab000-0000-7abc-8def-0123456789ab", "019ab000-ffff-7abc-8def-0123456789ab")).toEqual([
    "019aafff-15a0-0000-0000-000000000000",
    "019ab001-ea5f-ffff-ffff-ffffffffffff",
  ]);
});

it("all ids of runs are allowed for a delivery that is not there any more, from its own time on", () => {
  const delivery = decodeId("whd", newId("whd")) ?? "";
  const run = decodeId("run", newId("run")) ?? "";
  const [from, to] = runsOfDelivery(delivery, undefined);
  expect(from < run && run < to).toBe(true);
  expect(to).toBe(allRuns[1]);
  expect(runsOfDelivery("00000000-0000-0000-0000-000000000001", undefined)).toEqual(allRuns);
});
