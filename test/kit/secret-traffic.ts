import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Canaries } from "./canaries.js";
import { aConnection } from "./connections.js";
import { aCredential } from "./credentials.js";
import { eventually } from "./eventually.js";
import { anInboundSource, asSpecified } from "./inbound-sources.js";
import { aProvider } from "./providers.js";
import { request } from "./request.js";
import type { TestTenant } from "./tenants.js";
import { anAddress } from "./users.js";
import { aVendor } from "./vendor.js";

/** Two or three requests of each kind a second fill the time of each restart. */
const betweenRequestsMs = 400;

/** Requests that use everything that a master key protects, again and again, until `stop` is called. */
export interface SecretTraffic {
  /** The failures so far. */
  readonly failures: readonly string[];
  /** How many configuration entries were written. */
  readonly entries: () => number;
  /** Resolves when requests that were sent before have ended. */
  turn(): Promise<void>;
  stop(): Promise<void>;
}

export async function secretTraffic(tenant: TestTenant, canaries: Canaries): Promise<SecretTraffic> {
  const failures: string[] = [];
  let entries = 0;
  let cursor: string | null = null;
  const ask = async (line: string, options: Parameters<typeof request>[1]) => {
    const answer = await request(line, options);
    if (answer.status >= 400) failures.push(`${line}: ${answer.text}`);
    return answer;
  };
  const calledVendor = await aCalledVendor(await tenant.tokenWith(), canaries);
  const source = await anInboundSource(await tenant.tokenWith(), { secret: canaries.plant("inbound secret") });
  /** A request that starts a run, which must not fail. */
  const start = async (path: string, token: string, body: object) => {
    const answer = await ask(`POST ${path}`, { token, body });
    const runId = String(answer.body["verificationRunId"] ?? answer.body["runId"]);
    const run = await ask(`GET /integrations/runs/${runId}`, { token, headers: { prefer: "wait=20" } });
    if (run.body["status"] === "Failed") failures.push(`${path}: ${run.text}`);
  };
  const works: readonly ((token: string) => Promise<unknown>)[] = [
    async (token) => {
      const place: string = cursor === null ? "" : `&cursor=${cursor}`;
      cursor = (await ask(`GET /v1/config?limit=1${place}`, { token })).body["nextCursor"] as string | null;
    },
    (token) => {
      const body = { value: canaries.plant("under load"), isSecret: true };
      entries += 1;
      return ask(`PUT /v1/config/load.${entries % 40}`, { token, body });
    },
    (token) => {
      const body = { name: `load-${randomBytes(6).toString("hex")}`, secret: { apiKey: canaries.plant("under load") } };
      return ask("POST /integrations/credentials", { token, body });
    },
    async (token) => {
      const body = { email: anAddress(), roleCodes: ["Viewer"] };
      const invitation = await ask("POST /v1/users/invitations", { token, body });
      // a tenant may have 100 open invitations
      await ask(`POST /v1/users/invitations/${String(invitation.body["invitationId"])}/revoke`, { token });
    },
    async () => {
      const delivery = { providerDeliveryId: randomBytes(12).toString("hex"), eventName: "a.made", payload: {} };
      await ask("POST /webhooks/deliveries", asSpecified(source, delivery));
    },
    async (token) => {
      for (const connectionId of calledVendor.connections)
        await ask(`GET /integrations/connections/${connectionId}`, { token });
    },
    ...calledVendor.connections.map(
      (connectionId) => (token: string) => start(`/integrations/connections/${connectionId}/check`, token, {}),
    ),
    (token) => start("/integrations/credentials/rotate", token, { ...calledVendor.rotation(), graceSeconds: 1 }),
  ];
  let running = true;
  const rounds = works.map(() => 0);
  const loops = works.map(async (work, place) => {
    while (running) {
      await work(await tenant.tokenWith()).catch((error: unknown) => failures.push(String(error)));
      rounds[place] = (rounds[place] ?? 0) + 1;
      await pause(betweenRequestsMs);
    }
  });
  return {
    failures,
    entries: () => entries,
    async turn() {
      const before = [...rounds];
      await eventually("one more round of all traffic", () =>
        rounds.every((count, place) => count > (before[place] ?? 0) + 1),
      );
    },
    async stop() {
      running = false;
      await Promise.all(loops);
      await calledVendor.close();
    },
  };
}

/** A vendor with two connections: one with a token that its owner rotates, one with tokens from the OAuth 2 server. */
async function aCalledVendor(token: string, canaries: Canaries) {
  const vendor = await aVendor();
  const oauth2 = { tokenUrl: vendor.oauth.tokenUrl, clientAuthentication: "client_secret_basic" };
  const driver = { oauth2, probe: { method: "GET", path: "/me" } };
  const providerId = await aProvider(token, { key: "called", authModel: "OAuth2", baseUrl: vendor.baseUrl, driver });
  const aToken = () => {
    const secret = { token: canaries.plant("rotated") };
    vendor.accepted.add(secret.token);
    return secret;
  };
  canaries.add("the client secret of a vendor", vendor.oauth.basic.clientSecret);
  const bearer = await aCredential(token, { kind: "BearerToken", secret: aToken() });
  const client = await aCredential(token, { kind: "OAuth2Client", secret: { ...vendor.oauth.basic } });
  const connect = (authMode: string, { credentialRef }: { credentialRef: string }) =>
    aConnection(token, providerId, { authMode, credentialRef });
  return {
    connections: [await connect("BearerToken", bearer), await connect("OAuth2ClientCredentials", client)],
    rotation: () => ({ credentialId: bearer.credentialId, secret: aToken() }),
    close: () => vendor.close(),
  };
}
