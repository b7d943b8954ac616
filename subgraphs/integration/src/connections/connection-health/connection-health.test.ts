import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { ConnectionService } from "../connections/connection.service.js";
import { VendorCalls } from "../vendor-calls/vendor-calls.js";
import { CallEvidence } from "./call-evidence.js";
import { TenantConnections } from "./connection-health.fixture.js";
import { VendorServer } from "./vendor-server.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let tenant: TenantConnections;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  vendor = await VendorServer.start();
  tenant = new TenantConnections(fixture, aPrincipal());
});
afterAll(async () => {
  await vendor.close();
  await fixture.close();
});
afterEach(() => {
  vendor.status = undefined;
  vendor.token = "good";
  vendor.beforeAnswer = async () => undefined;
});

/** The health after a check for each vendor status. `undefined`: it accepts the token. */
async function healthAfter(connectionId: string, statuses: readonly (number | undefined)[]): Promise<string[]> {
  const healths: string[] = [];
  for (const status of statuses) {
    vendor.status = status;
    await tenant.check(connectionId);
    healths.push((await tenant.read(connectionId)).health);
  }
  return healths;
}

/** Changes a connection as time would have. */
const alter = (connectionId: string, set: string) =>
  fixture.rows(`update integration.connections set ${set} where connection_id = $1`, decodeId("con", connectionId));

describe("Mutation.checkConnectionHealth", () => {
  it("asks the vendor, and its run is the evidence of the health", async () => {
    const connectionId = await tenant.make(vendor.url);
    const run = await tenant.check(connectionId);
    expect(run).toMatchObject({ status: "Completed", error: null });
    expect(await tenant.read(connectionId)).toMatchObject({
      ...{ status: "Active", health: "Healthy", healthRunId: run.runId, lastRunId: run.runId },
      lastCheckedAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it("finds a vendor that fails: Degraded, Unhealthy after three failures, and back", async () => {
    const connectionId = await tenant.make(vendor.url);
    const healths = await healthAfter(connectionId, [500, 503, 404, undefined, undefined]);
    expect(healths).toEqual(["Degraded", "Degraded", "Unhealthy", "Degraded", "Healthy"]);
    const changes = (await tenant.events(connectionId)).filter((event) => event.startsWith("ConnectionHealthChanged"));
    expect(changes).toHaveLength(4);
    for (const change of changes) expect(change).toMatch(/ by run_\w{26}$/);
  });

  it("ends as Failed with the reason", async () => {
    const connectionId = await tenant.make(vendor.url);
    vendor.status = 500;
    const run = await tenant.check(connectionId);
    expect(run).toMatchObject({ status: "Failed", error: { code: "UPSTREAM_FAILED" } });
    const { healthReason, healthRunId } = await tenant.read(connectionId);
    expect(healthReason).toBe("The vendor answered the probe with the status 500 (server error).");
    expect(healthRunId).toBe(run.runId);
  });

  it("counts a vendor that cannot be connected to as failing", async () => {
    const closedServer = await VendorServer.start();
    const connectionId = await tenant.make(closedServer.url);
    await closedServer.close();
    expect(await tenant.check(connectionId)).toMatchObject({ status: "Failed", error: { code: "UPSTREAM_FAILED" } });
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Active", health: "Degraded" });
  });

  it("makes a connection whose rate is limited Degraded", async () => {
    const connectionId = await tenant.make(vendor.url);
    vendor.status = 429;
    expect(await tenant.check(connectionId)).toMatchObject({ error: { code: "RATE_LIMITED" } });
    expect(await tenant.read(connectionId)).toMatchObject({ health: "Degraded" });
  });

  it("moves a connection whose credential is rejected twice, and back when the vendor accepts it", async () => {
    const connectionId = await tenant.make(vendor.url);
    vendor.token = "another";
    expect(await tenant.check(connectionId)).toMatchObject({ error: { code: "CREDENTIAL_REJECTED" } });
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Active", health: "Degraded" });
    const second = await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "AuthorizationRequired", health: "Unhealthy" });
    expect(await tenant.events(connectionId)).toContain(`ConnectionAuthorizationLost by ${second.runId}`);
    const [due] = await fixture.rows<{ next: Date | null }>(
      "select next_probe_at as next from integration.connections where connection_id = $1",
      decodeId("con", connectionId),
    );
    expect(due?.next).toBeNull();
    vendor.token = "good";
    const third = await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Active", health: "Degraded" });
    expect(await tenant.events(connectionId)).toContain(`ConnectionReauthorized by ${third.runId}`);
  });

  it("does not bring back an authorization that was lost after the vendor was asked", async () => {
    const connectionId = await tenant.make(vendor.url);
    vendor.beforeAnswer = () => alter(connectionId, "status = 'AuthorizationRequired'");
    expect(await tenant.check(connectionId)).toMatchObject({ status: "Completed" });
    expect(await tenant.read(connectionId)).toMatchObject({ status: "AuthorizationRequired" });
    vendor.beforeAnswer = async () => undefined;
    await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Active" });
  });

  it("verifies a lost connection when its credential was rotated, by a run that the connection names", async () => {
    const credentialRef = await tenant.credential("former");
    const connectionId = await tenant.make(vendor.url, { credentialRef, projectId: "orders" });
    await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "AuthorizationRequired" });
    await tenant.rotate(credentialRef, "good");
    const { status, lastRunId, healthRunId } = await eventually(async () => {
      const connection = await tenant.read(connectionId);
      return connection.status === "Active" ? connection : undefined;
    });
    expect([status, healthRunId]).toEqual(["Active", lastRunId]);
    const [run] = await fixture.rows<{ operation: string; project_id: string | null }>(
      "select operation, project_id from integration.runs where run_id = $1",
      decodeId("run", lastRunId ?? ""),
    );
    expect(run).toEqual({ operation: "VerifyConnection", project_id: "orders" });
  });

  it("disables a connection that was Unhealthy for seven days", async () => {
    const connectionId = await tenant.make(vendor.url);
    await healthAfter(connectionId, [500, 500, 500]);
    await alter(
      connectionId,
      `failing_since = now() - interval '7 days', failure_days = '{"strikes": 6, "lastOutageOn": "2020-01-01"}'`,
    );
    const last = await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Disabled", health: "Unhealthy" });
    expect(await tenant.events(connectionId)).toContain(`ConnectionDisabled by ${last.runId}`);
    vendor.status = undefined;
    await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({ status: "Disabled", health: "Degraded" });
  });

  it("claims nothing where there was nothing to check", async () => {
    const connectionId = await tenant.make(undefined);
    const run = await tenant.check(connectionId);
    expect(run.error).toBeNull();
    expect(await tenant.read(connectionId)).toMatchObject({
      ...{ status: "Active", health: "Healthy", lastCheckedAt: null, healthRunId: null, lastRunId: run.runId },
    });
    await alter(connectionId, "established_at = now() - interval '11 minutes'");
    const later = await tenant.check(connectionId);
    expect(await tenant.read(connectionId)).toMatchObject({
      ...{ status: "Active", health: "Unknown", lastCheckedAt: null, healthRunId: later.runId },
    });
  });

  it("finds at once that a connection cannot be used, and says why", async () => {
    const cases = [
      [{ authMode: "AwsSigV4" }, "AUTH_MODE_NOT_SUPPORTED", "AwsSigV4"],
      [{ credentialRef: "secret://elsewhere/mail" }, "CREDENTIAL_NOT_FOUND", "no credential of this tenant"],
      [{ authMode: "Basic" }, "CREDENTIAL_UNUSABLE", "needs the member username"],
      [{ credentialRef: await tenant.revokedCredential() }, "INVALID_STATE", "Revoked"],
    ] as const;
    for (const [input, code, text] of cases) {
      const connectionId = await tenant.make(vendor.url, input);
      const { lastRunId, healthReason, ...otherFields } = await tenant.read(connectionId);
      const unknown = { status: "Active", health: "Unknown", lastCheckedAt: null };
      expect(otherFields).toEqual({ ...unknown, healthRunId: lastRunId });
      expect(healthReason).toContain(text);
      const run = await tenant.check(connectionId);
      expect(run.error).toEqual({ code, detail: healthReason });
      expect(await tenant.read(connectionId)).toMatchObject({ ...unknown, healthRunId: run.runId });
    }
  });

  it("warns about a mode that does not match the model of the provider", async () => {
    const connectionId = await tenant.make(vendor.url, { authMode: "ApiKey" });
    const run = await tenant.check(connectionId);
    const [storedRun] = await fixture.rows<{ result: object }>(
      "select result from integration.runs where run_id = $1",
      decodeId("run", run.runId),
    );
    const warning = "The provider has the authModel BearerToken, which the authMode ApiKey does not match.";
    expect(storedRun?.result).toMatchObject({ checked: true, warning });
  });

  it("needs a person before it can find anything out about a connection that people authorize", async () => {
    const driver = {
      oauth2: {
        tokenUrl: `${vendor.url}/token`,
        authorizationUrl: `${vendor.url}/authorize`,
        clientAuthentication: "none",
      },
    };
    const oauth2 = { authMode: "OAuth2AuthorizationCode" };
    const connectionId = await tenant.make(vendor.url, oauth2, 20, driver);
    const { healthReason, ...otherFields } = await tenant.read(connectionId);
    expect(otherFields).toMatchObject({ status: "AuthorizationRequired", health: "Unknown", lastCheckedAt: null });
    expect(healthReason).toContain("The connection is not authorized yet");
    expect(await tenant.check(connectionId)).toMatchObject({ error: { code: "AUTHORIZATION_REQUIRED" } });
    const events = await tenant.events(connectionId);
    expect(events.filter((event) => event.startsWith("TokenRefreshFailed"))).toEqual([]);
    const pageless = await tenant.make(vendor.url, oauth2);
    expect(await tenant.read(pageless)).toMatchObject({
      ...{ status: "Active", health: "Unknown" },
      healthReason: expect.stringContaining("names no authorizationUrl"),
    });
  });
});

describe("the outcomes of calls", () => {
  async function call(connectionId: string, status?: number): Promise<void> {
    const { get } = fixture.integration;
    const caller = tenantWithId(tenant.principal.tenantId ?? "");
    const connection = await get(ConnectionService).record(caller, connectionId);
    if (!connection) throw new Error("The connection does not exist");
    vendor.status = status;
    const target = { tenant: caller, cause: { trace: continueTrace(undefined) }, connection };
    await get(VendorCalls).call(target, { purpose: "command", method: "POST", path: "/orders" });
  }
  const flush = () => fixture.integration.get(CallEvidence).flush();

  it("are evidence of a Healthy connection, whose check is postponed", async () => {
    const connectionId = await tenant.make(vendor.url);
    await alter(connectionId, "last_checked_at = now() - interval '1 hour', next_probe_at = now() + interval '1 min'");
    await call(connectionId);
    await flush();
    const [row] = await fixture.rows<{ fresh: boolean; later: boolean }>(
      `select last_checked_at > now() - interval '1 min' as fresh, next_probe_at > now() + interval '4 min' as later
       from integration.connections where connection_id = $1`,
      decodeId("con", connectionId),
    );
    expect(row).toEqual({ fresh: true, later: true });
  });

  it("start a check when one in five calls fails, and make the connection Degraded although its probe passes", async () => {
    const connectionId = await tenant.make(vendor.url);
    for (let count = 0; count < 8; count += 1) await call(connectionId);
    await call(connectionId, 500);
    await flush();
    expect((await tenant.read(connectionId)).health).toBe("Healthy");
    await call(connectionId, 503);
    vendor.status = undefined;
    await flush();
    const isDegraded = async () => ((await tenant.read(connectionId)).health === "Degraded" ? true : undefined);
    await eventually(isDegraded);
    const { healthReason, healthRunId, lastRunId } = await tenant.read(connectionId);
    expect(healthReason).toBe("2 of 10 calls within 5 minutes ended with an error.");
    expect(healthRunId).toBe(lastRunId);
    await flush();
    expect((await tenant.read(connectionId)).lastRunId).toBe(lastRunId);
  });
});

describe("the schedule of checks", () => {
  const settings = { probeIntervalMs: 1000 };
  beforeAll(() => fixture.restart(undefined, settings));

  const checkedSince = async (of: TenantConnections, connectionId: string, run: string | null) =>
    (await of.read(connectionId)).lastRunId === run ? undefined : true;

  it("goes on while the vendor of another tenant hangs", async () => {
    const hanging = await VendorServer.start();
    hanging.status = null;
    const slow = new TenantConnections(fixture, aPrincipal());
    for (let count = 0; count < 24; count += 1) await slow.make(hanging.url, {}, 0);
    await makeDue(slow);
    const other = new TenantConnections(fixture, aPrincipal());
    await eventually(() => (hanging.asked.length > 0 ? true : undefined));
    const quick = await Promise.all([1, 2, 3, 4, 5].map(() => other.make(vendor.url)));
    const connections = await Promise.all(quick.map((connectionId) => other.read(connectionId)));
    for (const { health, lastCheckedAt } of connections)
      expect([health, lastCheckedAt]).toEqual(["Healthy", expect.any(String)]);
    await makeDue(other);
    for (const [index, connectionId] of quick.entries())
      await eventually(() => checkedSince(other, connectionId, connections[index]?.lastRunId ?? null));
    expect(hanging.asked.length).toBeLessThan(24);
    await alterAll(slow, "status = 'Suspended'");
    await hanging.close();
  });

  it("continues after a restart, and leaves out connections that are not Active", async () => {
    const ownTenant = new TenantConnections(fixture, aPrincipal());
    const [active, suspendedId] = [await ownTenant.make(vendor.url), await ownTenant.make(vendor.url)];
    await alter(suspendedId, "status = 'Suspended'");
    const before = await ownTenant.read(suspendedId);
    let last: string | null = null;
    await fixture.restart(async () => {
      await alter(active, "next_probe_at = now() - interval '1 hour'");
      last = (await lastRun(active)) ?? null;
    }, settings);
    await eventually(() => checkedSince(ownTenant, active, last));
    last = (await ownTenant.read(active)).lastRunId;
    await eventually(() => checkedSince(ownTenant, active, last));
    expect(await ownTenant.read(suspendedId)).toEqual(before);
  });

  const lastRun = async (connectionId: string) => {
    const [row] = await fixture.rows<{ run: string }>(
      "select last_run_id as run from integration.connections where connection_id = $1",
      decodeId("con", connectionId),
    );
    return row && encodeId("run", row.run);
  };
  const alterAll = (of: TenantConnections, set: string) =>
    fixture.rows(
      `update integration.connections set ${set} where tenant_id = $1`,
      decodeId("ten", of.principal.tenantId ?? ""),
    );
  const makeDue = (of: TenantConnections) => alterAll(of, "next_probe_at = now()");
});
