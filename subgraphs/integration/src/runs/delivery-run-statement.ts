// tables: webhook_deliveries

import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** $2: delivery. */
export const latestRunOfDelivery = tenantStatement(
  "run_latest_of_delivery",
  "select run_id from webhook_deliveries where tenant_id = scope.tenant and delivery_id = $2",
);

/** The clocks in the processes that write the ids may differ by this time. */
const marginMs = 60_000;
const latestMs = 2 ** 48 - 1;

/** The ids between which all run ids are. */
export const allRuns = [idAt(0, "0"), idAt(latestMs, "f")] as const;

/**
 * The ids between which a delivery's runs are, since ids ascend with time: its first run is as old as itself, and no
 * run is newer than its latest one. So a list with them reads few others without an index that each delivery would pay.
 */
export function runsOfDelivery(delivery: string, latestRun: string | undefined): readonly [string, string] {
  return [
    idAt(timeOf(delivery) - marginMs, "0"),
    latestRun === undefined ? allRuns[1] : idAt(timeOf(latestRun) + marginMs, "f"),
  ];
}

/** The milliseconds since 1970 in a version 7 UUID. */
const timeOf = (uuid: string): number => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

function idAt(ms: number, digit: "0" | "f"): string {
  const hex = Math.min(Math.max(ms, 0), latestMs).toString(16).padStart(12, "0");
  const rest = [4, 4, 12].map((length) => digit.repeat(length));
  return [hex.slice(0, 8), hex.slice(8), ...rest].join("-");
}
