import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { credentialKinds } from "@factory/schema/vocabularies/credentials";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { CredentialService } from "../credentials/credentials/credential.service.js";
import {
  type Answer,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../integration.fixture.js";
import { CredentialRotationService } from "./credential-rotation.service.js";

const dayMs = 86_400_000;
const rotateMutation = `mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) {
  credentialId status newVersionRef verificationRunId signingSecret materialDueAt } }`;
const readQuery = `query ($id: ID!, $run: ID!) {
  credential(credentialId: $id) { status materialDueAt verificationRunId versions { version stage reason } }
  run(runId: $run) { status attempts nextAttemptAt progress error { code detail } } }`;

let skewMs = 0;
const clock = () => new Date(Date.now() + skewMs);
let fixture: IntegrationFixture;
let principal: Principal;

beforeAll(async () => {
  fixture = await startIntegrationFixture({ clock, masterKeys: someMasterKeys(1) });
});
beforeEach(() => {
  skewMs = 0;
  principal = aPrincipal();
});
afterAll(() => fixture.close());

function succeeded(answer: Answer): Record<string, string> {
  expect(answer.errors).toBeUndefined();
  return Object.values(answer.data as object)[0] as Record<string, string>;
}
const refusal = ({ errors }: Answer) => errors?.[0]?.extensions;

async function aCredential(input: Record<string, unknown> = {}): Promise<string> {
  const create = "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }";
  const secret = { kind: "ApiKey", secret: { apiKey: "first" } };
  const answer = await fixture.run(principal, create, { input: { name: newId("crd").slice(4), ...secret, ...input } });
  return String(succeeded(answer)["credentialId"]);
}
const rotate = (credentialId: string, more: Record<string, unknown> = {}, key?: string) =>
  fixture.run(principal, rotateMutation, { input: { credentialId, reason: "ScheduledRotation", ...more } }, key);
const startRotation = async (id: string, more = {}) => succeeded(await rotate(id, more));

interface State {
  readonly credential: { status: string; materialDueAt: string | null; versions: { stage: string; reason: string }[] };
  readonly run: Record<string, unknown>;
}
async function stateOf(id: string, run: string | undefined): Promise<State> {
  const { data, errors } = await fixture.run(principal, readQuery, { id, run });
  expect(errors).toBeUndefined();
  return data as State;
}
const stages = ({ credential }: State) => [credential.status, ...credential.versions.map(({ stage }) => stage)].join();
async function becomes(id: string, run: string | undefined, expectedState: string): Promise<State> {
  await eventually(async () => (stages(await stateOf(id, run)) === expectedState ? true : undefined)).catch(
    () => undefined,
  );
  const state = await stateOf(id, run);
  expect(stages(state)).toBe(expectedState);
  return state;
}
const openSecret = async (id: string) => {
  const service = fixture.integration.get(CredentialService);
  const { material } = await service.openVersion(
    tenantWithId(principal.tenantId ?? ""),
    { trace: continueTrace(undefined) },
    id,
    "current",
  );
  return material["apiKey"];
};
const eventsOf = (id: string) =>
  fixture.rows<{ type: string; data: Record<string, unknown> }>(
    `select envelope->>'type' as type, envelope->'data' as data from integration.outbox
     where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq`,
    `credentials/${id}`,
  );
/** Lets the credential's next time pass now, as its plan says. */
async function passes(ms: number): Promise<void> {
  skewMs += ms;
}

describe("the rotation request of the specification", () => {
  const vendorKinds = valuesOf(credentialKinds).filter((kind) => kind !== "WebhookSigning");
  // Only the version that waits matters here, so the first secret need not fit its kind.
  it.each(vendorKinds)("is answered by a version that waits for its material, for the kind %s", async (kind) => {
    const id = await aCredential();
    await fixture.rows(
      "update integration.credentials set kind = $1 where credential_id = $2",
      kind,
      decodeId("crd", id),
    );
    const input = { tenantId: principal.tenantId, credentialId: id, reason: "ScheduledRotation" };
    const answer = succeeded(await fixture.run(principal, rotateMutation, { input }));
    expect(answer).toEqual({
      credentialId: id,
      status: "Rotating",
      newVersionRef: expect.stringMatching(/^secret:\/\/.*#v2$/),
      verificationRunId: expect.stringMatching(/^run_/),
      signingSecret: null,
      materialDueAt: expect.any(String),
    });
    const { verificationRunId: run, materialDueAt } = answer;
    const state = await stateOf(id, run);
    expect(stages(state)).toBe("Rotating,AwaitingMaterial,Current");
    expect(state.run).toEqual({
      status: "Queued",
      attempts: 0,
      nextAttemptAt: materialDueAt,
      error: null,
      progress: {
        awaits: "CredentialMaterial",
        giveAt: "POST /integrations/credentials/rotate",
        until: materialDueAt,
      },
    });
    expect(Date.parse(String(materialDueAt)) - Date.now()).toBeGreaterThan(6.99 * dayMs);
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      ...["CredentialCreated", "CredentialRotationStarted", "CredentialMaterialAwaited"],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ kind, giveAt: "POST /integrations/credentials/rotate", materialDueAt });
  });

  it("leads to a version that gets its secret by a second request, with the same run", async () => {
    const id = await aCredential();
    const first = await startRotation(id, { graceSeconds: 600 });
    expect(await openSecret(id)).toBe("first");
    expect(refusal(await rotate(id, { secret: { apiKey: "" } }))).toMatchObject({ code: "VALIDATION_FAILED" });
    expect(refusal(await rotate(id, { secret: { apiKey: "first" } }))).toMatchObject({ code: "SECRET_UNCHANGED" });
    expect(stages(await stateOf(id, first["verificationRunId"]))).toBe("Rotating,AwaitingMaterial,Current");
    const answer = await rotate(id, { secret: { apiKey: "second" }, reason: null }, "given");
    expect(succeeded(answer)).toEqual({ ...first, materialDueAt: null });
    const state = await becomes(id, first["verificationRunId"], "Active,Current,Previous");
    expect(state.credential.versions[0]?.reason).toBe("ScheduledRotation");
    expect(state.run).toMatchObject({ status: "Completed", attempts: 1, progress: null, error: null });
    expect(await openSecret(id)).toBe("second");
    expect(succeeded(await rotate(id, { secret: { apiKey: "second" }, reason: null }, "given"))).toEqual(
      succeeded(answer),
    );
    const types = (await eventsOf(id)).map(({ type }) => type.replace("Credential", ""));
    expect(types).toEqual([...["Created", "RotationStarted", "MaterialAwaited", "VersionPromoted", "Rotated"]]);
    const [row] = await fixture.rows<{ seconds: number }>(
      `select extract(epoch from grace_ends_at - now())::int as seconds from integration.credential_versions
       where credential_id = $1 and version = 1`,
      decodeId("crd", id),
    );
    expect(row?.seconds).toBeGreaterThan(500);
    expect(row?.seconds).toBeLessThanOrEqual(600);
  });

  it("takes a compromise that the second request names, after which no former version is left", async () => {
    const id = await aCredential();
    const first = await startRotation(id, { graceSeconds: 600 });
    succeeded(await rotate(id, { secret: { apiKey: "second" }, reason: "CompromiseSuspected" }));
    await becomes(id, first["verificationRunId"], "Active,Current,Retired");
  });

  it("without a secret is refused while a version waits, and so is a rollback", async () => {
    const id = await aCredential();
    const { verificationRunId } = await startRotation(id);
    const expectedRefusal = { code: "CREDENTIAL_ROTATION_IN_PROGRESS", verificationRunId };
    expect(refusal(await rotate(id))).toMatchObject(expectedRefusal);
    const rollBack = "mutation ($id: ID!) { rollbackCredential(credentialId: $id) { status } }";
    expect(refusal(await fixture.run(principal, rollBack, { id }))).toMatchObject(expectedRefusal);
  });
});

describe("a version that waits for its material", () => {
  it("fails after 7 days with its run, and leaves the credential Active and ready for another rotation", async () => {
    const id = await aCredential();
    const first = await startRotation(id);
    await passes(6.9 * dayMs);
    expect(stages(await stateOf(id, first["verificationRunId"]))).toBe("Rotating,AwaitingMaterial,Current");
    await passes(0.2 * dayMs);
    const state = await becomes(id, first["verificationRunId"], "Active,Failed,Current");
    expect(state).toMatchObject({
      credential: { materialDueAt: null },
      run: { status: "Failed", error: { code: "MATERIAL_NOT_GIVEN" } },
    });
    expect(await openSecret(id)).toBe("first");
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      type: "CredentialRotationFailed",
      data: { status: "Active", error: { code: "MATERIAL_NOT_GIVEN" } },
    });
    const next = await startRotation(id, { secret: { apiKey: "second" } });
    expect(next["newVersionRef"]).toMatch(/#v3$/);
    await becomes(id, next["verificationRunId"], "Active,Current,Failed,Previous");
  });

  it("does not let the current version outlive its expiry, and still takes its material", async () => {
    const id = await aCredential({ expiresAt: new Date(Date.now() + 2 * dayMs).toISOString() });
    const first = await startRotation(id);
    await passes(2.1 * dayMs);
    await becomes(id, first["verificationRunId"], "Expired,AwaitingMaterial,Current");
    await expect(openSecret(id)).rejects.toMatchObject({ code: "INVALID_STATE" });
    const answer = succeeded(await rotate(id, { secret: { apiKey: "second" } }));
    expect(answer).toMatchObject({ newVersionRef: first["newVersionRef"], status: "Rotating" });
    await becomes(id, first["verificationRunId"], "Active,Current,Previous");
    expect(await openSecret(id)).toBe("second");
  });

  it("does not give the new version an expiry that has passed while it waited", async () => {
    const id = await aCredential();
    const first = await startRotation(id, { expiresAt: new Date(Date.now() + dayMs).toISOString() });
    await passes(2 * dayMs);
    succeeded(await rotate(id, { secret: { apiKey: "second" } }));
    await becomes(id, first["verificationRunId"], "Active,Current,Previous");
    const query = "query ($id: ID!) { credential(credentialId: $id) { expiresAt } }";
    expect((await fixture.run(principal, query, { id })).data).toEqual({ credential: { expiresAt: null } });
  });

  it("does not bring an Expired credential back, neither at its beginning nor at its end", async () => {
    const id = await aCredential({ expiresAt: new Date(Date.now() + dayMs).toISOString() });
    await passes(1.1 * dayMs);
    await eventually(async () => ((await eventsOf(id)).at(-1)?.type === "CredentialExpired" ? true : undefined));
    const first = await startRotation(id);
    expect(first["status"]).toBe("Rotating");
    expect(stages(await stateOf(id, first["verificationRunId"]))).toBe("Expired,AwaitingMaterial,Current");
    await expect(openSecret(id)).rejects.toMatchObject({ code: "INVALID_STATE" });
    await passes(7.1 * dayMs);
    await becomes(id, first["verificationRunId"], "Expired,Failed,Current");
  });

  it("ends with its run when that is cancelled, and with the credential when that is revoked", async () => {
    const [first, other] = [await aCredential(), await aCredential()];
    const [cancelledRotation, revokedRotation] = [await startRotation(first), await startRotation(other)];
    const cancel = "mutation ($id: ID!) { cancelRun(runId: $id) { status } }";
    succeeded(await fixture.run(principal, cancel, { id: cancelledRotation["verificationRunId"] }));
    await becomes(first, cancelledRotation["verificationRunId"], "Active,Failed,Current");
    const revoke = "mutation ($id: ID!) { revokeCredential(credentialId: $id) { status } }";
    succeeded(await fixture.run(principal, revoke, { id: other }));
    const state = await becomes(other, revokedRotation["verificationRunId"], "Revoked,Failed,Retired");
    expect(state.run).toMatchObject({ status: "Cancelled" });
  });

  it("starts no run that a sweep would begin before its time", async () => {
    const id = await aCredential();
    const { verificationRunId } = await startRotation(id);
    const [row] = await fixture.rows<{ jobs: number }>(
      "select count(*)::int as jobs from integration_jobs.job where data->>'runId' = $1",
      verificationRunId,
    );
    expect(row?.jobs).toBe(0);
  });

  it("loses no material that is given by one process while another ends the wait", async () => {
    const other = await fixture.another();
    try {
      const context = requestContext({ principal, trace: continueTrace(undefined) });
      const services = [fixture.integration, other].map((subgraph) => subgraph.get(CredentialRotationService));
      for (let round = 0; round < 6; round += 1) {
        const id = await aCredential();
        const first = await startRotation(id);
        const give = (service: CredentialRotationService | undefined, apiKey: string) =>
          service?.rotate(context, { credentialId: id, secret: { apiKey } }).catch((error: { code: string }) => error);
        skewMs += 7 * dayMs - 500 + round * 150;
        await new Promise((resolve) => setTimeout(resolve, 400));
        const answers = await Promise.all([give(services[0], "one"), give(services[1], "two")]);
        const newVersions = answers.map((answer) =>
          answer && "newVersionRef" in answer ? answer.newVersionRef : undefined,
        );
        const refs = newVersions.filter((ref) => ref !== undefined);
        expect(refs.length).toBeGreaterThan(0);
        for (const answer of answers)
          if (answer && "code" in answer) expect(answer.code).toBe("CREDENTIAL_ROTATION_IN_PROGRESS");
        const newest = refs.sort().at(-1);
        const isWanted = async () => {
          const state = await stateOf(id, first["verificationRunId"]);
          const [version] = state.credential.versions;
          return state.credential.status === "Active" && version?.stage === "Current" ? state : undefined;
        };
        const state = await eventually(isWanted);
        expect(newest).toMatch(new RegExp(`#v${state.credential.versions.length}$`));
        const places = newVersions.flatMap((ref, place) => (ref === newest ? [["one", "two"][place]] : []));
        expect(places).toContain(await openSecret(id));
      }
    } finally {
      await other.close();
    }
  });

  // The last one, since a second process has the first key.
  it("survives a new master key, under which its material is sealed", async () => {
    const id = await aCredential();
    const first = await startRotation(id);
    await fixture.restart(undefined, { masterKeys: someMasterKeys(2, 1) });
    expect(stages(await stateOf(id, first["verificationRunId"]))).toBe("Rotating,AwaitingMaterial,Current");
    succeeded(await rotate(id, { secret: { apiKey: "second" } }));
    await becomes(id, first["verificationRunId"], "Active,Current,Previous");
    expect(await openSecret(id)).toBe("second");
  });
});
