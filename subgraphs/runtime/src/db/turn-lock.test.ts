import pg from "pg";
import { eventually } from "../faults/eventually.fixture.js";
import { waits } from "../telemetry/waits.js";
import { aDatabase } from "../unit-of-work/database.fixture.js";
import { takeTurn } from "./turn-lock.js";

it("a second session waits for the turn of the first, and the wait has a name", async () => {
  const test = await aDatabase();
  const clients = [new pg.Client({ connectionString: test.url }), new pg.Client({ connectionString: test.url })];
  const [first, second] = clients as [pg.Client, pg.Client];
  for (const client of clients) await client.connect();
  for (const key of [[77_001], [77_002, "spine"]] as const) {
    await takeTurn(first, key, "a migration");
    expect(waits.names).toEqual([]);
    let hasTurn = false;
    const waiting = takeTurn(second, key, "a migration").then(() => {
      hasTurn = true;
    });
    await eventually("it waits", () => waits.names.includes("a migration"));
    expect(hasTurn).toBe(false);
    await first.query("select pg_advisory_unlock_all()");
    await waiting;
    expect(waits.names).toEqual([]);
  }
  for (const client of clients) await client.end();
  await test.close();
});
