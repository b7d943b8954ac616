import { DomainError } from "@factory/runtime/errors/domain-error";
import { checkedPeriod, periodBounds } from "./report-period.js";

const errorsOf = (parameters: Record<string, unknown> | null) => {
  try {
    checkedPeriod(parameters);
  } catch (error) {
    if (error instanceof DomainError)
      return [error.code, ...(error.facts.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)];
  }
  return undefined;
};

describe("the parameters of a report", () => {
  it("name the days of a period in UTC, both included", () => {
    const period = checkedPeriod({ from: "2028-02-29", to: "2028-02-29", more: 1 });
    expect(period).toEqual({ from: "2028-02-29", to: "2028-02-29" });
    expect(periodBounds(period)).toEqual({
      start: new Date("2028-02-29T00:00:00Z"),
      end: new Date("2028-03-01T00:00:00Z"),
    });
  });

  it.each([
    [null, ["/input/parameters/from REQUIRED", "/input/parameters/to REQUIRED"]],
    [{ from: "2026-01-01" }, ["/input/parameters/to REQUIRED"]],
    [{ from: 7, to: "2026-01-01" }, ["/input/parameters/from TYPE"]],
    [{ from: "2026-02-30", to: "2026-03-01" }, ["/input/parameters/from FORMAT"]],
    [
      { from: "2026-1-1", to: "2026-03-01T00:00:00Z" },
      ["/input/parameters/from FORMAT", "/input/parameters/to FORMAT"],
    ],
    [{ from: "0000-01-01", to: "0000-01-02" }, ["/input/parameters/from OUT_OF_RANGE"]],
    [{ from: "2026-01-02", to: "2026-01-01" }, ["/input/parameters/to OUT_OF_RANGE"]],
    [{ from: "2025-01-01", to: "2026-01-02" }, ["/input/parameters/to OUT_OF_RANGE"]],
  ])("are refused as %j", (parameters, errors) => {
    expect(errorsOf(parameters)).toEqual(["PARAMETERS_INVALID", ...errors]);
  });

  it("may have 366 days", () => {
    expect(errorsOf({ from: "2028-01-01", to: "2028-12-31" })).toBeUndefined();
    expect(errorsOf({ from: "2025-01-01", to: "2026-01-01" })).toBeUndefined();
  });
});
