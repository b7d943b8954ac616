import { newId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { PromotionDefinition } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import { decodeJwt } from "jose";
import { sentCommand } from "../kit/commands.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { GrpcChannels } from "../kit/grpc-channels.js";
import { aLibrary, versionMutation } from "../kit/libraries.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const channels = new GrpcChannels();
let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});
afterAll(() => channels.close());

/** The published records of an operation in a tenant's log that `isExpected` accepts, once they count so many calls. */
async function records(
  tenantId: string,
  operation: string,
  isExpected: (record: AuditRecord) => boolean = () => true,
  calls = 1,
): Promise<AuditRecord[]> {
  let matchingRecords: AuditRecord[] = [];
  await eventually(`an audit record of ${operation}`, async () => {
    const storedRecords = await rows<{ envelope: AuditRecord }>(
      `select envelope from bus.messages where type = 'AuditRecord' and envelope->>'tenantid' = $1
       and envelope->>'operation' = $2 order by position`,
      [tenantId, operation],
    );
    matchingRecords = storedRecords.map(({ envelope }) => envelope).filter(isExpected);
    return matchingRecords.reduce((sum, { count = 1 }) => sum + count, 0) >= calls;
  });
  return matchingRecords;
}

async function aVersion(): Promise<string> {
  const libraryId = await aLibrary(token);
  const call = `registerLibraryVersion(libraryId: "${libraryId}", input: { semanticVersion: "1.0.0", publish: false })`;
  return String((await versionMutation(token, call))["libraryVersionId"]);
}

describe("a call over gRPC", () => {
  it("that changes something writes one record of its caller, and a refused one is counted", async () => {
    const libraryVersionId = await aVersion();
    const client = (await channels.as("integration")).client(PromotionDefinition);
    const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
    await client.publishLibraryVersion({ libraryVersionId }, as(token));
    const publications = await records(tenant.tenantId, "publishLibraryVersion");
    expect(publications).toMatchObject([
      { outcome: "Succeeded", principal: decodeJwt(token).sub, subject: expect.stringMatching(/^libraries\/lib_/) },
    ]);
    expect(publications[0]?.address).toMatch(/^127\.0\.0\.1$|\/64$/);
    const weak = await tenant.tokenWith("user.read");
    for (let count = 0; count < 2; count += 1)
      await expect(client.publishLibraryVersion({ libraryVersionId }, as(weak))).rejects.toThrow();
    const operation = "POST /factory.catalog.v1.Promotion/PublishLibraryVersion";
    const refusals = await records(tenant.tenantId, operation, () => true, 2);
    expect(refusals.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(2);
    expect(refusals[0]).toMatchObject({ code: "INSUFFICIENT_SCOPE", status: 403, principal: decodeJwt(weak).sub });
  });
});

describe("a command of the bus", () => {
  it("writes one record of its actor, as what it became: done or refused", async () => {
    const libraryVersionId = await aVersion();
    const command = await sentCommand(tenant.tenantId, "PublishLibraryVersion", { libraryVersionId });
    const [record, ...more] = await records(
      tenant.tenantId,
      "publishLibraryVersion",
      ({ principal }) => principal === command.actorid,
    );
    expect(record).toMatchObject({ outcome: "Succeeded", subject: expect.stringMatching(/^libraries\/lib_/) });
    expect(more).toEqual([]);
    const refusedCommand = await sentCommand(tenant.tenantId, "RetireLibraryVersion", {
      libraryVersionId: newId("lbv"),
      reason: "It leaks.",
    });
    expect(await records(tenant.tenantId, "RetireLibraryVersion")).toMatchObject([
      { outcome: "Refused", principal: refusedCommand.actorid, code: expect.any(String), status: expect.any(Number) },
    ]);
  });
});

describe("an operator", () => {
  const base = () => platform().internalUrl;

  it("who sends a job again is in the log of the job's tenant, without an address", async () => {
    const { tenantId } = await aTenant();
    const [job] = await rows<{ id: string }>(
      `insert into spine_jobs.job (name, data, state, group_id, singleton_key, retry_limit, output, completed_on, dead_letter)
       values ('expire-invitation', $1, 'failed', $2, 'x', 5, '{"message": "refused"}', now(), 'expire-invitation.dead') returning id`,
      [{ tenantId, invitationId: newId("inv") }, tenantId],
    );
    const admin = await platformToken("tenant.manage");
    const path = `POST /jobs/expire-invitation/${job?.id}/redrive`;
    expect((await request(path, { base: base(), token: admin })).status).toBe(202);
    const [record] = await records(tenantId, "POST /jobs/{queue}/{jobId}/redrive");
    expect(record).toMatchObject({ principal: decodeJwt(admin).sub, subject: `jobs/${job?.id}`, source: "/spine" });
    expect("address" in (record ?? {})).toBe(false);
  });

  it("who is refused is in the log of the own tenant", async () => {
    const operation = "POST /jobs/{queue}/{jobId}/redrive";
    expect((await request("POST /jobs/a/b/redrive", { base: base(), token })).status).toBe(403);
    expect(await records(tenant.tenantId, operation)).toMatchObject([{ status: 403, principal: decodeJwt(token).sub }]);
    expect((await request("POST /jobs/a/b/redrive", { base: base() })).status).toBe(401);
    await records(platformTenantId, operation, ({ status }) => status === 401);
  });

  it("who sends a dead letter again is in the log of the letter's tenant", async () => {
    const { tenantId } = await aTenant();
    const envelope = { id: newId("evt"), tenantid: tenantId, type: "TenantRegistered", subject: "tenants/x" };
    await rows(
      "insert into bus.dead_letters (consumer, position, envelope, error) values ('test.audited', 9, $1, 'x')",
      [envelope],
    );
    const admin = await platformToken("tenant.manage");
    const path = "POST /bus/dead-letters/test.audited/9/redrive";
    expect((await request(path, { base: base(), token: admin })).status).toBe(202);
    const [record] = await records(tenantId, "POST /bus/dead-letters/{consumer}/{position}/redrive");
    expect(record).toMatchObject({ principal: decodeJwt(admin).sub, subject: "dead-letters/test.audited/9" });
    await rows("delete from bus.held where consumer = 'test.audited'");
  });
});
