import pg from "pg";
import { decodeId, encodeId, newId } from "../identifiers/wire-id.js";
import { EnvelopeSeal } from "../sealing/envelope-seal.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { ValueSeal } from "../sealing/value-seal.js";
import { createLogger } from "../telemetry/logger.js";
import { aDatabase, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Resealer } from "./resealer.js";
import { type SealedTable, sealedTextTable, wrappedKeyTable } from "./sealed-table.js";

let test: TestDatabase;
let admin: pg.Pool;
let workers: pg.Pool;

const envelopes = (...numbers: [number, ...number[]]) =>
  new EnvelopeSeal(someMasterKeys(...numbers).keyring("credential key wrapping"));
const values = (...numbers: [number, ...number[]]) =>
  new ValueSeal(someMasterKeys(...numbers).keyring("factory spine signing keys"));

function tables(...numbers: [number, ...number[]]): SealedTable[] {
  const [envelope, value] = [envelopes(...numbers), values(...numbers)];
  return [
    wrappedKeyTable({
      label: "credential key wrapping",
      table: "parcels",
      key: { tenant_id: "uuid", name: "text", version: "integer" },
      newestKeyId: envelope.newestKeyId,
      rewrapped: (wrapping, { tenant_id: tenant = "", name, version }) =>
        envelope.rewrapped(wrapping, `${encodeId("ten", tenant)}|${name}|${version}`),
    }),
    sealedTextTable({
      label: "factory spine signing keys",
      table: "letters",
      key: { letter_id: "text" },
      column: "sealed",
      newestKeyId: value.newestKeyId,
      resealed: (sealedText, { letter_id: id = "" }) => value.open(sealedText, id).resealed ?? sealedText,
    }),
  ];
}

const resealer = (...numbers: [number, ...number[]]) =>
  new Resealer({ pool: workers, schema: "catalog" }, tables(...numbers), createLogger("test", "silent"));

const tenants = [newId("ten"), newId("ten")].map((id) => decodeId("ten", id) ?? "");

async function fill(count: number): Promise<void> {
  await admin.query("truncate parcels; truncate letters");
  for (const tenant of tenants)
    for (let place = 0; place < count; place += 1) {
      const envelope = envelopes(1).seal(Buffer.from(`parcel ${place}`), `${encodeId("ten", tenant)}|${place}|10`);
      await admin.query("insert into parcels values ($1, $2, 10, $3, $4, $5)", [
        tenant,
        place,
        envelope.keyId,
        envelope.wrappedKey,
        envelope.ciphertext,
      ]);
    }
  for (const id of ["a", "b"])
    await admin.query("insert into letters values ($1, $2)", [id, values(1).seal(`letter ${id}`, id)]);
}

beforeAll(async () => {
  test = await aDatabase();
  const options = "-c search_path=catalog";
  admin = new pg.Pool({ connectionString: test.url, max: 3, options });
  workers = new pg.Pool({ connectionString: test.definition.connections.worker, max: 3 });
  for (const pool of [admin, workers]) pool.on("error", () => undefined);
  await admin.query(`create table parcels (tenant_id uuid, name text, version int, key_id text, wrapped_key bytea,
      ciphertext bytea, primary key (tenant_id, name, version));
    alter table parcels enable row level security;
    create policy tenant on parcels using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
    create policy waiting on parcels for select to suites_platform_worker using (wrapped_key is not null);
    create table letters (letter_id text primary key, sealed text);
    grant select, update on parcels, letters to suites_platform_worker`);
});

afterAll(async () => {
  await Promise.all([admin.end(), workers.end()]);
  await test.close();
});

describe("the work after a change of the master key", () => {
  it("writes every value of every tenant again, in batches, and tells its progress", async () => {
    await fill(220);
    const steps: number[] = [];
    const results = await resealer(2, 1).run(({ table, left }) => table === "parcels" && steps.push(left));
    expect(results.map(({ found, renewed, left }) => [found, renewed, left])).toEqual([
      [440, 440, 0],
      [2, 2, 0],
    ]);
    expect(steps).toEqual([240, 40, 0, 0]);
    const { rows } = await admin.query("select * from parcels where tenant_id = $1 and name = '219'", [tenants[1]]);
    const { key_id: keyId, wrapped_key: wrappedKey, ciphertext } = rows[0];
    const associatedData = `${encodeId("ten", tenants[1] ?? "")}|219|10`;
    expect(envelopes(2).open({ keyId, wrappedKey, ciphertext }, associatedData).toString()).toBe("parcel 219");
    const again = await resealer(2).run();
    expect(again.map(({ found, renewed, left }) => [found, renewed, left])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("goes past damaged rows and rows of an unknown key, and names them with the reason", async () => {
    await fill(3);
    await admin.query("update parcels set wrapped_key = set_byte(wrapped_key, 30, 1) where name = '1'");
    await admin.query("update letters set sealed = $1 where letter_id = 'b'", [values(9).seal("letter", "b")]);
    const [parcels, letters] = await resealer(2, 1).run();
    expect(parcels).toMatchObject({ found: 6, renewed: 4, left: 2, unreadable: 2 });
    expect(parcels?.damaged.map(({ row }) => row)).toEqual(
      tenants.toSorted().map((tenant) => `tenant_id=${tenant}, name=1, version=10`),
    );
    expect(parcels?.damaged[0]?.reason).toContain("damaged");
    expect(letters).toMatchObject({ renewed: 1, left: 1, damaged: [{ row: "letter_id=b" }] });
    expect(letters?.damaged[0]?.reason).toContain("neither SECRETS_KEY");
  });

  it("neither waits for a locked row nor overwrites a change, and several processes do it at once", async () => {
    await fill(50);
    const holder = await admin.connect();
    await holder.query("begin");
    await holder.query("update parcels set wrapped_key = wrapped_key where name = '7'");
    const [lockedTable] = await resealer(2, 1).run();
    expect(lockedTable).toMatchObject({ renewed: 98, left: 2, unreadable: 0 });
    await holder.query("commit");
    holder.release();
    await fill(50);
    const runs = await Promise.all([resealer(2, 1).run(), resealer(2, 1).run(), resealer(2, 1).run()]);
    expect(runs.reduce((sum, [parcels]) => sum + (parcels?.renewed ?? 0), 0)).toBe(100);
    expect(runs.map(([parcels]) => parcels?.left)).toEqual([0, 0, 0]);
  });
});
