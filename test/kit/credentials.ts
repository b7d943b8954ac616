import { randomBytes } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { graphql, request } from "./request.js";

interface TestCredential {
  readonly credentialId: string;
  readonly credentialRef: string;
}

/** Creates a credential. By default it is a webhook secret that the platform can generate. */
export async function aCredential(token: string, changes: Record<string, unknown> = {}): Promise<TestCredential> {
  const signingSecret = `whsec_${randomBytes(32).toString("base64")}`;
  const body = {
    name: `credential-${randomBytes(6).toString("hex")}`,
    kind: "WebhookSigning",
    secret: { signingSecret },
    ...changes,
  };
  const answer = await request<TestCredential>("POST /integrations/credentials", { token, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Rotates a credential, and waits until the new version is the current one. */
export async function rotatedCredential(token: string, changes: Record<string, unknown> = {}): Promise<TestCredential> {
  const credential = await aCredential(token);
  const body = { credentialId: credential.credentialId, ...changes };
  const answer = await request("POST /integrations/credentials/rotate", { token, body });
  if (answer.status !== 202) throw new Error(answer.text);
  await credentialBecomes(token, credential.credentialId, "Active");
  return credential;
}

/** Waits until a credential is in this state. */
export async function credentialBecomes(token: string, credentialId: string, status: string): Promise<void> {
  const query = "query ($id: ID!) { credential(credentialId: $id) { status } }";
  const statusOf = async () => {
    const { body } = await graphql<{ credential: { status: string } }>(query, {
      token,
      variables: { id: credentialId },
    });
    return body.data.credential.status;
  };
  await eventually(`the credential is ${status}`, async () => (await statusOf()) === status);
}

/** A credential whose rotation has failed: the new version's secret was damaged, and its run cancelled. */
export async function aFailedRotation(token: string): Promise<TestCredential> {
  const credential = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "first" } });
  const { credentialId } = credential;
  await rows(
    `create or replace function integration.damage() returns trigger language plpgsql as
       $$ begin new.ciphertext = '\\x00'; return new; end $$`,
    [],
  );
  await rows(
    `create trigger damage before insert on integration.credential_versions for each row
     when (new.credential_id = '${decodeId("crd", credentialId)}') execute function integration.damage()`,
    [],
  );
  const body = { credentialId, secret: { apiKey: "second" } };
  const rotation = await request<{ verificationRunId: string }>("POST /integrations/credentials/rotate", {
    token,
    body,
  });
  await rows("drop function integration.damage() cascade", []);
  await request(`POST /integrations/runs/${rotation.body.verificationRunId}/cancel`, { token });
  await credentialBecomes(token, credentialId, "RotationFailed");
  return credential;
}

/** A credential for which time has passed: its warning, its rotation that is due, and its expiry. */
export async function anExpiredCredential(token: string): Promise<TestCredential> {
  const expiresAt = new Date(Date.now() + 20 * 86_400_000).toISOString();
  const secret = { kind: "ApiKey", secret: { apiKey: "first" } };
  const credential = await aCredential(token, { ...secret, expiresAt, rotationIntervalDays: 10 });
  const uuid = decodeId("crd", credential.credentialId);
  const becomesTrue = async (condition: string) => {
    const text = `select from integration.credentials where credential_id = $1 and ${condition}`;
    await eventually(condition, async () => (await rows(text, [uuid])).length > 0);
  };
  await becomesTrue("expiry_warning_days = 30");
  for (const column of ["next_rotation_at", "expires_at"]) {
    const set = `${column} = now(), next_change_at = now(), change_sent_at = null`;
    await rows(`update integration.credentials set ${set} where credential_id = $1`, [uuid]);
    if (column === "next_rotation_at") await becomesTrue("next_rotation_at > now()");
  }
  await credentialBecomes(token, credential.credentialId, "Expired");
  return credential;
}

/** A credential with a generated secret that nobody has seen. */
export async function anUnseenSecret(token: string): Promise<TestCredential> {
  const credential = await rotatedCredential(token);
  await rows("update integration.credential_versions set unseen = true where credential_id = $1 and version = 2", [
    decodeId("crd", credential.credentialId),
  ]);
  return credential;
}
