import { aCredential, rotatedCredential } from "../kit/credentials.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

interface Version {
  readonly version: number;
  readonly stage: string;
}

interface Credential {
  readonly credentialId: string;
  readonly status: string;
  readonly graceSeconds: number;
  readonly versions: readonly Version[];
}

let token: string;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
});

const read = async (credentialId: string) =>
  (await request<Credential>(`GET /integrations/credentials/${credentialId}`, { token })).body;

const stagesOf = ({ versions }: Credential) => versions.map(({ version, stage }) => `${version} ${stage}`);

describe("credentials over REST", () => {
  it("are listed by state and kind, and read with their versions, but without a secret", async () => {
    const secret = { apiKey: "a-secret-that-nobody-reads" };
    const { credentialId } = await aCredential(token, { kind: "ApiKey", secret });
    const list = await request<{ items: Credential[] }>("GET /integrations/credentials?kind=ApiKey&status=Active", {
      token,
    });
    expect(list.body.items.map((item) => item.credentialId)).toEqual([credentialId]);
    const { status, body, text } = await request<Credential>(`GET /integrations/credentials/${credentialId}`, {
      token,
    });
    expect([status, stagesOf(body)]).toEqual([200, ["1 Current"]]);
    expect(list.text + text).not.toContain(secret.apiKey);
  });

  it("go back to the version before, and end when they are revoked", async () => {
    const { credentialId } = await rotatedCredential(token);
    expect(stagesOf(await read(credentialId))).toEqual(["2 Current", "1 Previous"]);
    const at = `/integrations/credentials/${credentialId}`;
    expect((await request(`POST ${at}/rollback`, { token })).status).toBe(200);
    expect((await read(credentialId)).versions.find(({ stage }) => stage === "Current")?.version).toBe(1);
    const revoked = await request<Credential>(`POST ${at}/revoke`, { token, body: { reason: "It leaked." } });
    expect([revoked.status, revoked.body.status]).toEqual([200, "Revoked"]);
    expect((await request(`POST ${at}/rollback`, { token })).status).toBe(409);
  });

  it("change their settings", async () => {
    const { credentialId } = await aCredential(token);
    const body = { graceSeconds: 60 };
    const answer = await request<Credential>(`PATCH /integrations/credentials/${credentialId}`, { token, body });
    expect([answer.status, answer.body.graceSeconds]).toEqual([200, 60]);
  });

  it("need the scope for what is done", async () => {
    const tenant = await aTenant();
    const { credentialId } = await aCredential(await tenant.tokenWith());
    const reader = await tenant.tokenWith("integration.credentials.read");
    expect((await request(`GET /integrations/credentials/${credentialId}`, { token: reader })).status).toBe(200);
    for (const move of ["rollback", "revoke"]) {
      const answer = await request(`POST /integrations/credentials/${credentialId}/${move}`, { token: reader });
      expect([move, refusal(answer)]).toEqual([move, "403 INSUFFICIENT_SCOPE"]);
    }
  });
});
