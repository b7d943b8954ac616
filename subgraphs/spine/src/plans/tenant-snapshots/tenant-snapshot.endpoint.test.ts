import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GrpcChannel, type GrpcClient } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { type TenantSnapshot, TenantsDefinition } from "@factory/schema/proto/generated/factory/spine/v1/tenants";
import { RunningSpine } from "../../running-spine.fixture.js";

const many = 1_100;

describe("spine.v1.Tenants/Snapshots", () => {
  let platform: RunningSpine;
  let folder: string;
  let certificates: ServiceCertificates;
  let server: GrpcServer;
  let client: GrpcClient<typeof TenantsDefinition>;
  const channels: GrpcChannel[] = [];

  const clientOf = (identity: ServiceIdentity) => {
    const address = `127.0.0.1:${server.port}`;
    const channel = new GrpcChannel({ address, server: "gateway", certificate: certificates[identity] });
    channels.push(channel);
    return channel.client(TenantsDefinition);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snapshots-"));
    [platform, certificates] = await Promise.all([RunningSpine.start(), serviceCertificates(folder)]);
    server = await startGrpcServer({
      host: "127.0.0.1",
      port: 0,
      certificate: certificates.gateway,
      services: platform.spine.grpcServices,
      reflection: false,
      logger: platform.host.logger,
    });
    client = clientOf("catalog");
  });
  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server?.stop();
    await platform?.stop();
    await rm(folder, { recursive: true });
  });

  const since = async (changedSinceMs: number) => {
    const pages: TenantSnapshot[][] = [];
    let pageToken = "";
    do {
      const page = await client.snapshots({ changedSinceMs, pageToken });
      pages.push(page.tenants);
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return pages;
  };
  const databaseTime = async () => {
    const { rows } = await platform.admin.query<{ now: number }>(
      "select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now",
    );
    return rows[0]?.now ?? 0;
  };

  it("answers the facts of the named tenants, and leaves unknown ones out", async () => {
    const tenantId = await platform.activeTenant("snapped");
    const page = await client.snapshots({ tenantIds: [tenantId, newId("ten"), "nothing"] });
    expect(page.tenants).toEqual([
      expect.objectContaining({
        ...{ tenantId, version: 3, slug: "snapped", status: "Active", editionCode: "Standard" },
        subscriptionStatus: "Pending",
      }),
    ]);
    expect(page.nextPageToken).toBe("");
    expect(Math.abs(page.readAtMs - Date.now())).toBeLessThan(60_000);
  });

  it("pages through every tenant once, in the order of change, each with its own plan subscription", async () => {
    const before = await databaseTime();
    await platform.admin.query(
      `with made as (
         insert into tenants (tenant_id, name, slug, status, edition_code, created_at, updated_at)
         select gen_random_uuid(), 'many', 'many-' || n, 'Active', 'Free', now(), now() from generate_series(1, $1) n
         returning tenant_id, slug)
       , configured as (
         insert into configuration_entries (tenant_id, key, value, sealed_value, is_secret, version, created_at, updated_at, updated_by)
         select tenant_id, entry.key, to_jsonb(entry.value || slug), null, entry.is_secret, 1, now(), now(), 'test' from made,
           (values ('scaffold.repositoryBase', 'https://git.example/', false), ('own.key', '', false)) entry (key, value, is_secret))
       insert into plan_subscriptions (tenant_id, subscription_id, edition_code, status, created_at)
       select tenant_id, gen_random_uuid(), 'Free', 'state of ' || slug, now() from made`,
      [many],
    );
    const pages = await since(before);
    expect(pages.map((page) => page.length)).toEqual([500, 500, many - 1000]);
    const all = pages.flat();
    expect(new Set(all.map(({ tenantId }) => tenantId)).size).toBe(many);
    expect(all.filter(({ slug, subscriptionStatus }) => subscriptionStatus !== `state of ${slug}`)).toEqual([]);
    const bases = all.filter(
      ({ slug, settingsJson }) =>
        settingsJson !== JSON.stringify({ "scaffold.repositoryBase": `https://git.example/${slug}` }),
    );
    expect(bases).toEqual([]);
    const { rows } = await platform.admin.query<{ tenant_id: string }>(
      "select tenant_id from tenants where name = 'many' order by changed_at, tenant_id",
    );
    expect(all.map(({ tenantId }) => tenantId)).toEqual(rows.map(({ tenant_id }) => encodeId("ten", tenant_id)));
  });

  it("answers only what has changed since", async () => {
    const tenantId = await platform.activeTenant("later");
    const before = await databaseTime();
    await platform.admin.query(
      "update tenants set version = version + 1, changed_at = clock_timestamp() where tenant_id = $1",
      [decodeId("ten", tenantId)],
    );
    expect((await since(before)).flat().map(({ tenantId: changedId, version }) => [changedId, version])).toEqual([
      [tenantId, 4],
    ]);
    expect((await since((await databaseTime()) + 1000)).flat()).toEqual([]);
  });

  it("answers all editions with their features, a page for each message", async () => {
    const value = "x".repeat(300_000);
    await platform.admin.query(
      `insert into editions (code, name, trial_days, features, active, version, created_at, updated_at)
       select 'Large' || n, 'Large', 0, jsonb_build_object('note', jsonb_build_object('kind', 'config', 'value', $1::text)),
         true, 7, now(), now() from generate_series(1, 5) n`,
      [value],
    );
    const first = await client.editions({});
    const second = await client.editions({ pageToken: first.nextPageToken });
    const third = await client.editions({ pageToken: second.nextPageToken });
    expect(third.nextPageToken).toBe("");
    const all = [first, second, third].flatMap(({ editions }) => editions);
    const large = [1, 2, 3, 4, 5].map((n) => `Large${n}`);
    expect(all.map(({ code }) => code)).toEqual(["Enterprise", "Free", ...large, "Standard"]);
    const [free, largest] = [all[1], all[2]].map((edition) => JSON.parse(edition?.featuresJson ?? "null"));
    expect(free).toMatchObject({ "webhooks.max": { kind: "limit", limit: 3 } });
    expect([largest, all[2]?.version]).toEqual([{ note: { kind: "config", value } }, 7]);
  });

  it("contains the known settings, and no secret value", async () => {
    const tenantId = await platform.activeTenant("configured");
    await platform.admin.query(
      `insert into configuration_entries (tenant_id, key, value, is_secret, version, created_at, updated_at, updated_by)
       select $1, entry.key, entry.value::jsonb, entry.is_secret, 1, now(), now(), 'test' from (values
         ('execution.requirePublished', 'true', false), ('retention.webhookDays', '7', true),
         ('signIn.sessionHours', '"of another release"', false), ('scaffold.repositoryBase', 'null', false)
       ) entry (key, value, is_secret)`,
      [decodeId("ten", tenantId)],
    );
    const { tenants } = await client.snapshots({ tenantIds: [tenantId] });
    const settings = { "execution.requirePublished": true, "scaffold.repositoryBase": null };
    expect(tenants.map(({ settingsJson }) => JSON.parse(settingsJson))).toEqual([settings]);
  });

  it("contains the limits that the platform has set", async () => {
    const tenantId = await platform.activeTenant("limited");
    await platform.admin.query(`update tenants set limits = '{"rateLimitFactor":2}' where tenant_id = $1`, [
      decodeId("ten", tenantId),
    ]);
    const { tenants } = await client.snapshots({ tenantIds: [tenantId] });
    expect(tenants.map(({ limitsJson }) => JSON.parse(limitsJson))).toEqual([{ rateLimitFactor: 2 }]);
  });

  it.each([
    ["too many tenants", { tenantIds: Array.from({ length: 501 }, () => newId("ten")) }],
    ["a page token of somebody else", { pageToken: "1' or true --" }],
    ["a time before 1970", { changedSinceMs: -1 }],
  ])("refuses %s", async (_, request) => {
    await expect(client.snapshots(request)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  it("serves catalog, integration and gateway, and nobody else", async () => {
    for (const identity of ["integration", "gateway"] as const)
      await expect(clientOf(identity).snapshots({ tenantIds: [newId("ten")] })).resolves.toBeDefined();
    await expect(clientOf("spine").snapshots({})).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });
});
