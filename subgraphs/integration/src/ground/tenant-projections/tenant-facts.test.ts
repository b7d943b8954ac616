import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { SnapshotSource } from "@factory/runtime/tenant-facts/snapshot-source";
import type { EditionCopy, TenantCopy } from "@factory/runtime/tenant-facts/tenant-copy";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";

/** The spine's answers in this test. */
const spine = {
  tenants: new Map<string, TenantCopy>(),
  editions: [{ code: "Free", version: 1, features: { "webhooks.max": { kind: "limit", limit: 3 } } }] as EditionCopy[],
  asked: 0,
  answers: true,
};

function answer<T>(value: T): T {
  spine.asked += 1;
  if (!spine.answers) throw new DomainError("UNAVAILABLE", { detail: "The service does not answer." });
  return value;
}

const source: SnapshotSource = {
  tenants: async (ids) => answer(ids.flatMap((id) => spine.tenants.get(id) ?? [])),
  editions: async () => answer(spine.editions),
  async *changedSince() {
    yield answer({ tenants: [...spine.tenants.values()], readAtMs: Date.now() });
  },
};

function aTenant(changes: Partial<TenantCopy> = {}): string {
  const tenantId = newId("ten");
  const facts = { version: 1, slug: "acme", status: "Active", editionCode: "Free", subscriptionStatus: "Pending" };
  spine.tenants.set(tenantId, { tenantId, ...facts, settings: {}, limits: {}, ...changes });
  return tenantId;
}

function changed(tenantId: string, changes: Partial<TenantCopy>): void {
  const copy = spine.tenants.get(tenantId);
  if (copy) spine.tenants.set(tenantId, { ...copy, version: copy.version + 1, ...changes });
}

describe("the facts of tenants", () => {
  let fixture: IntegrationFixture;
  const filledTenant = aTenant({ limits: { rateLimitFactor: 4 } });
  beforeAll(async () => {
    fixture = await startIntegrationFixture({ tenantSnapshots: async () => source });
  });
  afterAll(() => fixture?.close());
  beforeEach(() => {
    spine.answers = true;
  });

  const of = (tenantId: string) => fixture.integration.get(TenantFacts).of(tenantId);
  const factorOf = async (tenantId: string) => (await of(tenantId)).limit("rateLimitFactor");
  const storedRows = (tenantId: string) =>
    fixture.rows<{ version: string }>(
      "select version from integration.tenant_projections where tenant_id = $1",
      decodeId("ten", tenantId),
    );
  const tell = (tenantId: string) =>
    fixture.bus.publish([
      createEvent({ type: "TenantLimitsUpdated", subject: `tenants/${tenantId}`, data: {} }, tenantId, {
        trace: continueTrace(undefined),
      }),
    ]);

  it("are filled by the first refresh after a start", async () => {
    await eventually(async () => ((await storedRows(filledTenant)).length === 1 ? true : undefined));
    expect(await factorOf(filledTenant)).toBe(4);
  });

  it("are asked for once, stored, and read from memory afterwards", async () => {
    const tenantId = aTenant({ settings: { "execution.requirePublished": true } });
    const facts = await of(tenantId);
    expect(facts.setting("execution.requirePublished")).toBe(true);
    expect([facts.setting("retention.webhookDays"), facts.limit("maxRunningExecutions")]).toEqual([null, 5]);
    expect([facts.feature("webhooks.max"), facts.feature("other")]).toEqual([{ kind: "limit", limit: 3 }, undefined]);
    expect((await storedRows(tenantId)).map(({ version }) => version)).toEqual(["1"]);
    const { asked } = spine;
    for (let time = 0; time < 100; time += 1) await of(tenantId);
    expect(spine.asked).toBe(asked);
  });

  it("change with an event, and never to an older version", async () => {
    const tenantId = aTenant();
    expect(await factorOf(tenantId)).toBe(1);
    changed(tenantId, { limits: { rateLimitFactor: 7 } });
    await tell(tenantId);
    await eventually(async () => ((await factorOf(tenantId)) === 7 ? true : undefined));
    changed(tenantId, { version: 1, limits: { rateLimitFactor: 9 } });
    const { asked } = spine;
    await tell(tenantId);
    await eventually(() => (spine.asked > asked ? true : undefined));
    changed(tenantId, { version: 3, limits: { rateLimitFactor: 8 } });
    await tell(tenantId);
    await eventually(async () => ((await factorOf(tenantId)) === 8 ? true : undefined));
  });

  it("follow a change that another process has stored", async () => {
    const tenantId = aTenant();
    expect(await factorOf(tenantId)).toBe(1);
    const uuid = decodeId("ten", tenantId);
    await fixture.rows(
      `update integration.tenant_projections set version = 2, limits = '{"rateLimitFactor":3}' where tenant_id = $1`,
      uuid,
    );
    await fixture.rows("select pg_notify('integration_tenant_projections', $1)", `${uuid}:2`);
    await eventually(async () => ((await factorOf(tenantId)) === 3 ? true : undefined));
  });

  it("follow the features of an edition", async () => {
    const tenantId = aTenant();
    await of(tenantId);
    spine.editions = [{ code: "Free", version: 2, features: { "webhooks.max": { kind: "limit", limit: 9 } } }];
    const event = { type: "EditionUpdated", subject: "editions/Free", data: {} } as const;
    await fixture.bus.publish([createEvent(event, tenantId, { trace: continueTrace(undefined) })]);
    await eventually(async () => {
      const feature = (await of(tenantId)).feature("webhooks.max");
      return feature?.kind === "limit" && feature.limit === 9 ? true : undefined;
    });
  });

  it("stay readable while the spine does not answer, except those of unknown tenants", async () => {
    const [knownTenant, unknown] = [aTenant({ limits: { rateLimitFactor: 2 } }), aTenant()];
    await of(knownTenant);
    spine.answers = false;
    expect(await factorOf(knownTenant)).toBe(2);
    await expect(of(unknown)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    spine.answers = true;
    expect(await factorOf(unknown)).toBe(1);
  });

  it("are known after a restart without the spine", async () => {
    const tenantId = aTenant({ limits: { rateLimitFactor: 5 } });
    await of(tenantId);
    await fixture.restart(async () => {
      spine.answers = false;
    });
    const facts = await of(tenantId);
    expect([facts.limit("rateLimitFactor"), facts.feature("webhooks.max")?.kind]).toEqual([5, "limit"]);
  });
});
