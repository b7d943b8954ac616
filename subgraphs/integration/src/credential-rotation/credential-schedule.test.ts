import { randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../integration.fixture.js";

const startedAt = Date.parse("2026-01-01T00:00:00Z");
const day = (days: number) => new Date(startedAt + days * 86_400_000);

let now = day(0);
let fixture: IntegrationFixture;
beforeAll(async () => {
  fixture = await startIntegrationFixture({ clock: () => now });
});
beforeEach(() => {
  now = day(0);
});
afterAll(() => fixture.close());

const create = "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }";
const update =
  "mutation ($id: ID!, $input: UpdateCredentialInput!) { updateCredential(credentialId: $id, input: $input) { expiresAt graceSeconds rotationIntervalDays nextRotationAt } }";
const readQuery =
  "query ($id: ID!) { credential(credentialId: $id) { status nextRotationAt versions { version stage reason } } }";
const reveal =
  "mutation ($id: ID!) { revealSigningSecret(credentialId: $id) { newVersionRef verificationRunId signingSecret } }";

async function aCredential(principal: Principal, input: Record<string, unknown>): Promise<string> {
  const secret = { kind: "ApiKey", secret: { apiKey: "a" } };
  const { data, errors } = await fixture.run(principal, create, { input: { name: "vendor", ...secret, ...input } });
  expect(errors).toBeUndefined();
  return data?.["createCredential"].credentialId as string;
}
const eventsOf = async (id: string) => {
  const events = await fixture.rows<{ text: string }>(
    `select (envelope->>'type') || coalesce(' ' || (envelope->'data'->>'days'), '') as text from integration.outbox
     where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event'
       and envelope->>'type' <> 'CredentialVersionRetired' order by seq`,
    `credentials/${id}`,
  );
  return events.map(({ text }) => text.replace("Credential", ""));
};
const readCredential = async (principal: Principal, id: string) =>
  (await fixture.run(principal, readQuery, { id })).data?.["credential"] as Record<string, unknown>;
async function happens(id: string, ...events: string[]): Promise<void> {
  const all = ["Created", ...events];
  await eventually(async () => ((await eventsOf(id)).length >= all.length ? true : undefined)).catch(() => undefined);
  expect(await eventsOf(id)).toEqual(all);
}

describe("the schedule of a credential", () => {
  it("announces the expiry, so that no process keeps using a secret from its memory", async () => {
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: fixture.connections.app });
    client.on("notification", ({ payload = "" }) => heard.push(payload));
    await client.connect();
    await client.query("listen credential_changed");
    const principal = aPrincipal();
    const id = await aCredential(principal, { expiresAt: day(0.5).toISOString() });
    await happens(id, "ExpiryApproaching 1");
    expect(heard).toEqual([]);
    now = day(1);
    const uuids = `${decodeId("ten", principal.tenantId ?? "")} ${decodeId("crd", id)}`;
    expect(await eventually(() => heard[0])).toBe(uuids);
    await client.end();
  });

  it("warns 30, 7 and 1 days before the expiry, and then ends its use until a rotation", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal, { expiresAt: day(100).toISOString() });
    const warnings = [30, 7, 1].map((days) => `ExpiryApproaching ${days}`);
    for (const [place, time] of [70, 93.5, 99].entries()) {
      now = day(time);
      await happens(id, ...warnings.slice(0, place + 1));
    }
    now = day(100);
    await happens(id, ...warnings, "Expired");
    expect(await readCredential(principal, id)).toMatchObject({ status: "Expired" });
    const rotate = "mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { status } }";
    const input = { credentialId: id, secret: { apiKey: "b" }, expiresAt: day(200).toISOString() };
    expect((await fixture.run(principal, rotate, { input })).errors).toBeUndefined();
    await happens(id, ...warnings, "Expired", "RotationStarted", "VersionPromoted", "Rotated");
    now = day(171);
    await happens(id, ...warnings, "Expired", "RotationStarted", "VersionPromoted", "Rotated", "ExpiryApproaching 30");
  });

  it("rotates a secret that the platform can generate, which its owner is shown once", async () => {
    const principal = aPrincipal();
    const signingSecret = `whsec_${randomBytes(32).toString("base64")}`;
    const id = await aCredential(principal, {
      kind: "WebhookSigning",
      secret: { signingSecret },
      rotationIntervalDays: 90,
    });
    now = day(90);
    await happens(id, "RotationStarted", "VersionPromoted", "Rotated");
    expect(await readCredential(principal, id)).toMatchObject({
      status: "Active",
      nextRotationAt: day(180).toISOString(),
      versions: [{ version: 2, stage: "Current", reason: "ScheduledRotation" }, { stage: "Previous" }],
    });
    const revealAnswer = await fixture.run(principal, reveal, { id }, "once");
    expect(revealAnswer.data?.["revealSigningSecret"]).toMatchObject({
      newVersionRef: "secret://vendor#v2",
      signingSecret: expect.stringMatching(/^whsec_/),
    });
    expect(
      (await fixture.run(principal, reveal, { id }, "once")).data?.["revealSigningSecret"].signingSecret,
    ).toBeNull();
    expect((await fixture.run(principal, reveal, { id })).errors?.[0]?.extensions["code"]).toBe("INVALID_STATE");
  });

  it("announces the rotation of a secret that only the vendor can create", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal, { rotationIntervalDays: 30 });
    now = day(30);
    await happens(id, "RotationDue");
    now = day(60);
    await happens(id, "RotationDue", "RotationDue");
    expect(await readCredential(principal, id)).toMatchObject({
      status: "Active",
      nextRotationAt: day(90).toISOString(),
    });
  });

  it("can be changed and taken away", async () => {
    const principal = aPrincipal();
    const id = await aCredential(principal, { expiresAt: day(10).toISOString(), rotationIntervalDays: 5 });
    const change = async (input: Record<string, unknown>) => {
      const { data, errors } = await fixture.run(principal, update, { id, input });
      expect(errors).toBeUndefined();
      return data?.["updateCredential"] as Record<string, unknown>;
    };
    await happens(id, "ExpiryApproaching 30");
    expect(await change({ graceSeconds: 5 })).toMatchObject({ graceSeconds: 5, rotationIntervalDays: 5 });
    expect(await change({ expiresAt: null, rotationIntervalDays: null })).toMatchObject({
      ...{ expiresAt: null, graceSeconds: 5, rotationIntervalDays: null, nextRotationAt: null },
    });
    const other = await fixture.run(aPrincipal(), update, { id, input: {} });
    expect(other.errors?.[0]?.extensions["code"]).toBe("CREDENTIAL_NOT_FOUND");
  });
});
