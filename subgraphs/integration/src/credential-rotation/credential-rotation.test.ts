import { randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { CredentialService } from "../credentials/credentials/credential.service.js";
import {
  type Answer,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../integration.fixture.js";

const create = `mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }`;
const rotateMutation = `mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) {
  credentialId status newVersionRef verificationRunId signingSecret } }`;
const readQuery = `query ($id: ID!) { credential(credentialId: $id) { status currentVersionRef verificationRunId expiresAt
  versions { version stage reason verificationRunId graceEndsAt retiredAt failedAt promotedAt verifiedAt } } }`;
const moves = {
  revokeCredential: "mutation ($id: ID!) { moved: revokeCredential(credentialId: $id) { status currentVersionRef } }",
  rollbackCredential:
    "mutation ($id: ID!) { moved: rollbackCredential(credentialId: $id) { status currentVersionRef } }",
  acknowledgeCredentialRotation:
    "mutation ($id: ID!) { moved: acknowledgeCredentialRotation(credentialId: $id) { status currentVersionRef } }",
};

const aSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

let fixture: IntegrationFixture;
beforeAll(async () => {
  fixture = await startIntegrationFixture();
});
afterAll(() => fixture.close());

function succeeded(answer: Answer): Record<string, Record<string, never>> {
  expect(answer.errors).toBeUndefined();
  return answer.data as Record<string, Record<string, never>>;
}
const refusal = ({ errors }: Answer) => errors?.[0]?.extensions;

async function aCredential(principal: Principal, input: Record<string, unknown> = {}): Promise<string> {
  const signing = { kind: "WebhookSigning", secret: { signingSecret: aSecret() } };
  const name = `c${randomBytes(4).toString("hex")}`;
  const data = succeeded(await fixture.run(principal, create, { input: { name, ...signing, ...input } }));
  return String(data["createCredential"]?.["credentialId"]);
}
const rotate = (principal: Principal, credentialId: string, more: Record<string, unknown> = {}, key?: string) =>
  fixture.run(principal, rotateMutation, { input: { credentialId, ...more } }, key);
const readCredential = async (principal: Principal, id: string) =>
  succeeded(await fixture.run(principal, readQuery, { id }))["credential"] as unknown as {
    status: string;
    currentVersionRef: string;
    versions: { version: number; stage: string; graceEndsAt: string | null; promotedAt: string | null }[];
  };
const stagesOf = async (principal: Principal, id: string) =>
  (await readCredential(principal, id)).versions.map(({ version, stage }) => `${version} ${stage}`);
const becomes = (principal: Principal, id: string, ...stages: string[]) =>
  eventually(async () => ((await stagesOf(principal, id)).join() === stages.join() ? true : undefined));
const move = (principal: Principal, mutation: keyof typeof moves, id: string) =>
  fixture.run(principal, moves[mutation], { id });
const eventsOf = async (id: string) => {
  const events = await fixture.rows<{ type: string }>(
    "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq",
    `credentials/${id}`,
  );
  return events.map(({ type }) => type);
};
/** Ends a version's grace period, and lets the run begin that waits for its end. */
async function endGrace({ tenantId = "" }: Principal, id: string, version: number): Promise<void> {
  const names = [decodeId("ten", tenantId), decodeId("crd", id), version];
  const endedRows = await fixture.rows(
    `update integration.credential_versions set grace_ends_at = now()
     where tenant_id = $1 and credential_id = $2 and version = $3 and grace_ends_at > now() returning version`,
    ...names,
  );
  expect(endedRows).toEqual([{ version }]);
  await fixture.rows(
    "update integration_jobs.job set start_after = now() where group_id = $1 and name = 'integration.runs' and state < 'active'",
    tenantId,
  );
}
/** The secrets that sign a delivery now. */
const signingSecrets = (principal: Principal, id: string) =>
  fixture.integration.get(CredentialService).signingSecrets(tenantWithId(principal.tenantId ?? ""), id);

describe("a rotation", () => {
  it("verifies a generated secret by a signed echo, uses both in the grace period, and then destroys the former", async () => {
    const principal = aPrincipal();
    const first = aSecret();
    const id = await aCredential(principal, { secret: { signingSecret: first } });
    const { rotateCredential: startedRotation } = succeeded(
      await rotate(principal, id, { graceSeconds: 3600 }),
    ) as Record<string, Record<string, string>>;
    expect(startedRotation).toMatchObject({
      credentialId: id,
      status: "Rotating",
      newVersionRef: expect.stringMatching(/#v2$/),
      verificationRunId: expect.stringMatching(/^run_/),
      signingSecret: expect.stringMatching(/^whsec_/),
    });
    await becomes(principal, id, "2 Current", "1 Previous");
    expect(await signingSecrets(principal, id)).toEqual([startedRotation?.["signingSecret"], first]);
    await endGrace(principal, id, 1);
    await becomes(principal, id, "2 Current", "1 Retired");
    expect(await signingSecrets(principal, id)).toEqual([startedRotation?.["signingSecret"]]);
    const { status, currentVersionRef, versions } = await readCredential(principal, id);
    expect({ status, currentVersionRef }).toMatchObject({
      status: "Active",
      currentVersionRef: startedRotation?.["newVersionRef"],
    });
    expect(versions).toMatchObject([
      { reason: "ManualRotation", verificationRunId: startedRotation?.["verificationRunId"], graceEndsAt: null },
      { reason: null, retiredAt: expect.any(String), graceEndsAt: null },
    ]);
    expect(await eventsOf(id)).toEqual([
      ...["CredentialCreated", "CredentialRotationStarted", "CredentialVersionPromoted", "CredentialRotated"],
      "CredentialVersionRetired",
    ]);
    const runs = await fixture.rows<{ operation: string; status: string; result: unknown }>(
      "select operation, status, result from integration.runs where tenant_id = $1 order by run_id",
      tenantWithId(principal.tenantId ?? "").uuid,
    );
    expect(runs).toEqual([
      { operation: "VerifyCredential", status: "Completed", result: { version: 2, check: "SignedEcho" } },
      { operation: "RetireCredentialVersion", status: "Completed", result: { version: 1 } },
    ]);
    const [leftovers] = await fixture.rows<{ text: string }>(
      `select (select string_agg(o::text, '') from integration.outbox o) || (select string_agg(r::text, '') from integration.runs r)
         || coalesce((select string_agg(i::text, '') from integration.idempotency_records i), '') as text`,
    );
    for (const secret of [first, startedRotation?.["signingSecret"]]) expect(leftovers?.text).not.toContain(secret);
  });

  it("shows a generated secret once, and the same rotation for a repeated key", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    const [first, again] = [await rotate(principal, id, {}, "a-key"), await rotate(principal, id, {}, "a-key")];
    expect(succeeded(first)["rotateCredential"]).toMatchObject({ signingSecret: expect.any(String) });
    expect(succeeded(again)["rotateCredential"]).toEqual({
      ...succeeded(first)["rotateCredential"],
      signingSecret: null,
    });
    expect((await stagesOf(principal, id)).length).toBe(2);
  });

  it("is refused while another one runs, with the run that verifies it", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    const [first, other] = await Promise.all([rotate(principal, id), rotate(principal, id)]);
    const [winner, loser] = first.errors ? [other, first] : [first, other];
    const { verificationRunId } = succeeded(winner)["rotateCredential"] as unknown as Record<string, string>;
    // The verification may have ended before the second request took the lock.
    if (loser.errors)
      expect(refusal(loser)).toMatchObject({ code: "CREDENTIAL_ROTATION_IN_PROGRESS", verificationRunId });
    await becomes(principal, id, ...(loser.errors ? ["2 Current"] : ["3 Current", "2 Previous"]), "1 Previous");
    await fixture.rows(
      "update integration.credentials set status = 'Rotating' where tenant_id = $1",
      tenantWithId(principal.tenantId ?? "").uuid,
    );
    expect(refusal(await rotate(principal, id))).toMatchObject({ code: "CREDENTIAL_ROTATION_IN_PROGRESS" });
    expect(refusal(await move(principal, "rollbackCredential", id))).toMatchObject({
      code: "CREDENTIAL_ROTATION_IN_PROGRESS",
    });
  });

  it("takes the new secret of a kind that the platform cannot generate", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal, { kind: "OAuth2Client", secret: { clientId: "a", clientSecret: "b" } });
    expect(refusal(await rotate(principal, id, { secret: { clientSecret: "c" } }))).toMatchObject({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/input/secret/clientId" }],
    });
    const secret = { clientId: "a", clientSecret: "c" };
    succeeded(await rotate(principal, id, { secret, expiresAt: "2030-01-01T00:00:00Z" }));
    await becomes(principal, id, "2 Current", "1 Previous");
    expect(await readCredential(principal, id)).toMatchObject({
      status: "Active",
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    const service = fixture.integration.get(CredentialService);
    const tenant = tenantWithId(principal.tenantId ?? "");
    const cause = { trace: continueTrace(undefined) };
    expect((await service.openVersion(tenant, cause, id, "current")).material).toEqual(secret);
    expect((await service.openVersion(tenant, cause, id, "previous")).material).toMatchObject({ clientSecret: "b" });
  });

  it("after a compromise has no grace period, also for versions of earlier rotations", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    succeeded(await rotate(principal, id));
    await becomes(principal, id, "2 Current", "1 Previous");
    succeeded(await rotate(principal, id, { reason: "CompromiseSuspected", graceSeconds: 600 }));
    await becomes(principal, id, "3 Current", "2 Retired", "1 Retired");
    expect(await signingSecrets(principal, id)).toHaveLength(1);
    expect(refusal(await move(principal, "rollbackCredential", id))).toMatchObject({ code: "INVALID_STATE" });
  });

  it("keeps at most four former versions in use", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    for (let version = 2; version <= 7; version += 1) {
      succeeded(await rotate(principal, id));
      await eventually(async () => ((await stagesOf(principal, id))[0] === `${version} Current` ? true : undefined));
    }
    expect(await signingSecrets(principal, id)).toHaveLength(5);
    const stages = await stagesOf(principal, id);
    expect(stages.slice(-3)).toEqual(["3 Previous", "2 Retired", "1 Retired"]);
  });

  it("can be taken back in its grace period, after which the other version is retired", async () => {
    const principal = aPrincipal();
    const first = aSecret();
    const id = await aCredential(principal, { secret: { signingSecret: first } });
    succeeded(await rotate(principal, id, { graceSeconds: 3600 }));
    await becomes(principal, id, "2 Current", "1 Previous");
    expect(succeeded(await move(principal, "rollbackCredential", id))["moved"]).toMatchObject({
      status: "Active",
      currentVersionRef: expect.stringMatching(/#v1$/),
    });
    expect(await stagesOf(principal, id)).toEqual(["2 Previous", "1 Current"]);
    expect(await signingSecrets(principal, id)).toHaveLength(2);
    await endGrace(principal, id, 2);
    await becomes(principal, id, "2 Retired", "1 Current");
    expect(await signingSecrets(principal, id)).toEqual([first]);
    succeeded(await rotate(principal, id, { graceSeconds: 0 }));
    await becomes(principal, id, "3 Current", "2 Retired", "1 Retired");
  });

  it("to the same secret is refused", async () => {
    const principal = aPrincipal();
    const secret = { apiKey: "a", hosts: ["vendor.example"] };
    const id = await aCredential(principal, { kind: "ApiKey", secret });
    const sameSecret = { hosts: ["vendor.example"], apiKey: "a" };
    expect(refusal(await rotate(principal, id, { secret: sameSecret }))).toMatchObject({ code: "SECRET_UNCHANGED" });
    expect(await stagesOf(principal, id)).toEqual(["1 Current"]);
  });

  it("leaves no run that waits for a version which has ended", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    const waiting = async () => {
      const source = `query ($id: ID!) { runs(filter: { credentialId: $id, operation: RetireCredentialVersion }) { items { status } } }`;
      const { runs } = succeeded(await fixture.run(principal, source, { id })) as unknown as {
        runs: { items: { status: string }[] };
      };
      return runs.items.map(({ status }) => status).sort();
    };
    succeeded(await rotate(principal, id, { graceSeconds: 3600 }));
    await becomes(principal, id, "2 Current", "1 Previous");
    expect(await waiting()).toEqual(["Queued"]);
    succeeded(await move(principal, "rollbackCredential", id));
    expect(await waiting()).toEqual(["Cancelled", "Queued"]);
    succeeded(await rotate(principal, id, { graceSeconds: 0 }));
    await becomes(principal, id, "3 Current", "2 Retired", "1 Retired");
    expect(await waiting()).not.toContain("Queued");
    succeeded(await rotate(principal, id, { graceSeconds: 3600 }));
    await becomes(principal, id, "4 Current", "3 Previous", "2 Retired", "1 Retired");
    expect(await waiting()).toContain("Queued");
    succeeded(await move(principal, "revokeCredential", id));
    expect(await waiting()).not.toContain("Queued");
  });

  it("that fails destroys the new secret and keeps the current one", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal, { kind: "ApiKey", secret: { apiKey: "a" } });
    const uuid = tenantWithId(principal.tenantId ?? "").uuid;
    // A damaged secret fails the verification, which is tried again until the run is cancelled.
    await fixture.rows(
      `create function integration.damage() returns trigger language plpgsql as
         $$ begin new.ciphertext = '\\x00'; return new; end $$`,
    );
    await fixture.rows(
      `create trigger damage before insert on integration.credential_versions for each row
       when (new.tenant_id = '${uuid}' and new.stage = 'Pending') execute function integration.damage()`,
    );
    const { verificationRunId } = succeeded(await rotate(principal, id, { secret: { apiKey: "b" } }))[
      "rotateCredential"
    ] as unknown as Record<string, string>;
    await fixture.rows("drop function integration.damage() cascade");
    const cancel = "mutation ($id: ID!) { cancelRun(runId: $id) { status } }";
    await fixture.run(principal, cancel, { id: verificationRunId });
    await becomes(principal, id, "2 Failed", "1 Current");
    expect(await readCredential(principal, id)).toMatchObject({ status: "RotationFailed" });
    expect((await eventsOf(id)).at(-1)).toBe("CredentialRotationFailed");
    const [row] = await fixture.rows<{ key: Buffer | null }>(
      "select wrapped_key as key from integration.credential_versions where tenant_id = $1 and version = 2",
      uuid,
    );
    expect(row?.key).toBeNull();
    expect(succeeded(await move(principal, "acknowledgeCredentialRotation", id))["moved"]).toMatchObject({
      status: "Active",
      currentVersionRef: expect.stringMatching(/#v1$/),
    });
    expect(refusal(await move(principal, "acknowledgeCredentialRotation", id))).toMatchObject({
      code: "INVALID_STATE",
    });
  });

  it("ends with the credential when that is revoked", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal);
    succeeded(await rotate(principal, id));
    await becomes(principal, id, "2 Current", "1 Previous");
    expect(succeeded(await move(principal, "revokeCredential", id))["moved"]).toMatchObject({ status: "Revoked" });
    expect(await stagesOf(principal, id)).toEqual(["2 Retired", "1 Retired"]);
    expect(await signingSecrets(principal, id)).toEqual([]);
    expect(refusal(await rotate(principal, id))).toMatchObject({ code: "INVALID_STATE", currentState: "Revoked" });
  });
});
