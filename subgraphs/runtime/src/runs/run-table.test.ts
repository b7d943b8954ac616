import { newId } from "../identifiers/wire-id.js";
import { tenantWithId } from "../tenancy/tenant.js";
import { errorColumns } from "./run-error.js";
import { RunLost, requireMoved } from "./run-lost.js";
import { RunTable } from "./run-table.js";

const trips = new RunTable<{ status: string }, "Sailing" | "Landed">({
  table: "trips",
  key: "trip_id",
  prefix: "run",
  channel: "trip_changes",
  counted: "version = version + 1",
});
const land = trips.moveStatement("trip_land", "port = $port", "status = 'Sailing' and fence = $fence");
const tripId = newId("run");

/** A transaction in which the statement returns these rows. */
function transactionOf(rows: { status: string }[]) {
  const sentValues: unknown[] = [];
  const notices: string[] = [];
  const execute = async (_: unknown, values?: readonly unknown[]) => {
    sentValues.push(...(values ?? []));
    return rows as never;
  };
  const notify = (channel: string, line = "") => void notices.push(`${channel} ${line}`);
  return { transaction: { execute, notify, tenant: tenantWithId(newId("ten")) }, sent: sentValues, notices };
}

describe("a table of runs", () => {
  it("moves the run of the tenant whose row satisfies the condition", async () => {
    expect(land.text).toBe(
      "update trips set status = $1, version = version + 1, port = $2 where tenant_id = $3 and trip_id = $4 and status = 'Sailing' and fence = $5 returning *",
    );
    const { transaction, sent, notices } = transactionOf([{ status: "Landed" }]);
    const values = { port: "Iolkos", fence: 3 };
    expect(await trips.move(transaction, land, { id: tripId, to: "Landed", values })).toEqual({ status: "Landed" });
    expect(sent).toEqual(["Landed", "Iolkos", transaction.tenant.uuid, trips.uuid(tripId), 3]);
    expect(notices).toEqual([`trip_changes ${trips.uuid(tripId)} Landed`]);
  });

  it("tells nobody of a move that was not made", async () => {
    const { transaction, notices } = transactionOf([]);
    const movedRow = await trips.move(transaction, land, { id: tripId, to: "Landed", values: { port: "", fence: 2 } });
    expect([movedRow, notices]).toEqual([undefined, []]);
    expect(() => requireMoved(movedRow)).toThrow(RunLost);
  });

  it("stores the step of a move in a table of its own", () => {
    const notingTable = new RunTable({
      table: "trips",
      key: "trip_id",
      prefix: "run",
      channel: "c",
      noted: "insert into steps",
    });
    expect(notingTable.moveStatement("sail", "port = null", "true").text).toMatch(
      /^with moved as \(update trips .*\), noted as \(insert into steps\) select \* from moved$/,
    );
  });

  it("refuses the id of another kind", () => {
    expect(() => trips.uuid(newId("usr"))).toThrow("not the id of a run in trips");
  });

  it("keeps the beginning of a long reason", () => {
    expect(errorColumns()).toEqual({ code: null, detail: null });
    expect(errorColumns({ code: "STORM", detail: "x".repeat(3000) }).detail).toHaveLength(2000);
  });
});
