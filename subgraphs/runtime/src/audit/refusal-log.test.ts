import type { Principal } from "../auth/principal.js";
import { aBus, type TestBus } from "../bus/bus.fixture.js";
import type { BusPublisher } from "../bus/bus.js";
import { newId } from "../identifiers/wire-id.js";
import type { AuditRecord } from "../messages/audit-record.js";
import type { Message } from "../messages/envelope.js";
import type { Refusal } from "../messages/refusal.js";
import { continueTrace } from "../telemetry/trace.js";
import { platformTenantId } from "../tenancy/platform-tenant.js";
import { quiet, until } from "../unit-of-work/database.fixture.js";
import { RefusalLog } from "./refusal-log.js";

/** A bus that remembers what was published, and refuses while it is away. */
class RememberingBus implements BusPublisher {
  readonly records: AuditRecord[] = [];
  readonly batches: number[] = [];
  away = false;

  async publish(messages: readonly Message[]): Promise<void> {
    if (this.away) throw new Error("the bus is away");
    this.batches.push(messages.length);
    for (const message of messages) if (message.messagekind === "audit") this.records.push(message);
  }
}

const trace = continueTrace(undefined);
const tenantId = newId("ten");
const principal = { subject: newId("usr"), clientId: newId("cli"), tenantId, principalType: "User" } as Principal;
const aRefusal = (more: Partial<Refusal> = {}): Refusal => ({
  ...{ operation: "publishTemplateVersion", code: "INSUFFICIENT_SCOPE", status: 403, trace, principal },
  ...more,
});
const fromAddress = (address: string, more: Partial<Refusal> = {}): Refusal =>
  aRefusal({
    principal: undefined,
    code: "UNAUTHENTICATED",
    status: 401,
    ...more,
    origin: { address, userAgent: "x" },
  });

describe("the log of refusals", () => {
  let bus: RememberingBus;
  let log: RefusalLog;
  const open = (settings: Partial<ConstructorParameters<typeof RefusalLog>[0]> = {}) => {
    log = new RefusalLog({ publisher: bus, logger: quiet, windowMs: 5, patienceMs: 50, ...settings });
    return log;
  };

  beforeEach(() => {
    bus = new RememberingBus();
    open();
  });
  afterEach(() => log.stop());

  it("counts equal refusals in one record, with the first and the last time", async () => {
    const from = new Date();
    const subject = `templates/${newId("tpl")}`;
    for (let count = 0; count < 3; count += 1) log.note(aRefusal({ subject }));
    log.note(aRefusal({ operation: "createApiClient", subject }));
    expect(bus.records).toEqual([]);
    await until(() => bus.records.length === 2);
    const [countedRecord, single] = bus.records;
    expect(countedRecord).toMatchObject({
      ...{ messagekind: "audit", type: "AuditRecord", source: "/gateway", outcome: "Refused", tenantid: tenantId },
      ...{ operation: "publishTemplateVersion", code: "INSUFFICIENT_SCOPE", status: 403, count: 3, subject },
      ...{ principal: principal.subject, clientid: principal.clientId, traceid: trace.traceId, partitionkey: tenantId },
    });
    expect(Date.parse(countedRecord?.firsttime ?? "")).toBeGreaterThanOrEqual(from.getTime());
    expect(Date.parse(countedRecord?.time ?? "")).toBeGreaterThanOrEqual(Date.parse(countedRecord?.firsttime ?? ""));
    expect(single).toMatchObject({ operation: "createApiClient", subject });
    expect(single && "count" in single).toBe(false);
    expect(bus.batches).toEqual([2]);
  });

  it("keeps ten subjects apart, and counts those of further ones together without a subject", async () => {
    for (let place = 0; place < 13; place += 1) log.note(aRefusal({ subject: `templates/${place}` }));
    log.note(aRefusal({ subject: "templates/0" }));
    await until(() => bus.records.length === 11);
    const subjects = bus.records.map(({ subject, count = 1 }) => [subject, count]);
    expect(subjects).toEqual([
      ["templates/0", 2],
      ...Array.from({ length: 9 }, (_, place) => [`templates/${place + 1}`, 1]),
      [undefined, 3],
    ]);
  });

  it("gives refusals without a tenant to the platform, and tells addresses and e-mail apart", async () => {
    log.note(fromAddress("192.0.2.1"));
    log.note(fromAddress("192.0.2.2"));
    log.note(fromAddress("192.0.2.2", { email: "ada@x.example" }));
    log.note(fromAddress("192.0.2.2", { email: "bob@x.example", tenantId }));
    await until(() => bus.records.length === 4);
    expect(bus.records.map(({ tenantid, address, email }) => [tenantid, address, email])).toEqual([
      [platformTenantId, "192.0.2.1", undefined],
      [platformTenantId, "192.0.2.2", undefined],
      [platformTenantId, "192.0.2.2", "ada@x.example"],
      [tenantId, "192.0.2.2", "bob@x.example"],
    ]);
  });

  it("keeps a flood from many addresses of one tenant in one more record, and other tenants keep their own", async () => {
    open({ limits: { maxPerTenant: 10, maxTotal: 15 } });
    for (let count = 0; count < 1000; count += 1) log.note(fromAddress(`192.0.2.${count}`));
    log.note(aRefusal());
    await until(() => bus.records.length > 0);
    expect(bus.records).toHaveLength(12);
    expect(bus.records.find(({ tenantid }) => tenantid === tenantId)).toMatchObject({
      operation: aRefusal().operation,
    });
    expect(bus.records.at(-1)).toMatchObject({ operation: "furtherRefusals", tenantid: platformTenantId, count: 990 });
    expect(log.dropped).toBe(990);
  });

  it("bounds the tenants too", async () => {
    open({ limits: { maxPerTenant: 2, maxTotal: 4 } });
    for (let count = 0; count < 100; count += 1) log.note(fromAddress("192.0.2.1", { tenantId: newId("ten") }));
    await until(() => bus.records.length > 0);
    expect(bus.records).toHaveLength(9);
    expect(bus.records.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(100);
  });

  it("keeps refusals while the bus is away, counted together, and publishes each once", async () => {
    bus.away = true;
    log.note(aRefusal());
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let count = 0; count < 5; count += 1) log.note(aRefusal());
    await new Promise((resolve) => setTimeout(resolve, 20));
    bus.away = false;
    await until(() => bus.records.length === 2);
    expect(bus.records.map(({ count = 1 }) => count)).toEqual([1, 5]);
    expect(log.dropped).toBe(0);
  });

  it("publishes what is left when it stops, and drops it when the bus stays away", async () => {
    open({ windowMs: 60_000 });
    log.note(aRefusal());
    await log.stop();
    expect(bus.records).toHaveLength(1);
    open({ windowMs: 60_000 });
    bus.away = true;
    log.note(aRefusal());
    log.note(aRefusal());
    await log.stop();
    log.note(aRefusal());
    expect(log.dropped).toBe(3);
  });

  it("stops in time when the bus never answers", async () => {
    const publish = () => new Promise<void>(() => undefined);
    const began = performance.now();
    open({ publisher: { publish } }).note(aRefusal());
    await log.stop();
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(log.dropped).toBe(1);
  });

  describe("on the bus", () => {
    let real: TestBus;
    beforeAll(async () => {
      real = await aBus();
    });
    afterAll(() => real.close());

    it("needs no connection of the other publishers", async () => {
      const ownBus = await real.open();
      const publisher = ownBus.ownPublisher();
      open({ publisher }).note(fromAddress("192.0.2.9", { email: "nul\u0000@x.example" }));
      const auditRows = () =>
        real.rows<{ email: string; user: string }>(
          "select envelope->>'email' as email from bus.messages where type = 'AuditRecord'",
        );
      await until(async () => (await auditRows()).length === 1);
      expect(await auditRows()).toEqual([{ email: "nul\ufffd@x.example" }]);
      await publisher.close();
      await ownBus.close();
    });
  });
});
