import { join } from "node:path";
import { type ClientCredentials, readJson } from "@factory/platform/client/platform-api";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { PromotionDefinition } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { anAgent, aService, exchange } from "../kit/agents.js";
import { rows } from "../kit/database.js";
import { platform } from "../kit/platform.js";
import { aRawSocket } from "../kit/raw-socket.js";
import { type RealKey, realKey } from "../kit/real-key.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

const unknown = "TENANT_UNKNOWN";

let tenant: TestTenant;
let ownToken: string;
let service: ClientCredentials;
let agent: ClientCredentials;
let admin: string;
let real: RealKey;
let channel: GrpcChannel;

beforeAll(async () => {
  const { dataDir } = platform();
  const { grpcAddress: address } = await readJson<{ grpcAddress: string }>(dataDir, "runtime.json");
  const { integration: certificate } = await serviceCertificates(join(dataDir, "tls"));
  channel = new GrpcChannel({ address, server: "gateway", certificate, timeoutMs: 60_000 });
  tenant = await aTenant();
  const newService = await aService(tenant.tenantId);
  [service, ownToken] = [newService, newService.token];
  agent = await anAgent(tenant.tenantId);
  admin = await platformToken();
  real = await realKey(ownToken);
});

afterAll(() => channel.close());

/** Another tenant's signed token without any other fault. */
function signedFor(tenantId: string, token: string): string {
  const claims = { ...decodeJwt(token), tenantId, jti: newId("evt") };
  return real.token(decodeProtectedHeader(token), claims);
}

const internal = (line: string, token: string) => request(line, { token, base: platform().internalUrl });
const asClient = ({ clientId, clientSecret }: ClientCredentials) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
  "content-type": "application/x-www-form-urlencoded",
});

/** The entry points, with their answer to a token. The internal ones use a platform administrator's token. */
const entryPoints: Record<string, { of?: () => string; ask: (token: string) => Promise<string> }> = {
  REST: { ask: async (token) => refusal(await request("GET /v1/roles", { token })) },
  GraphQL: { ask: async (token) => refusal(await graphql("{ roles { nextCursor } }", { token })) },
  websocket: {
    async ask(token) {
      const socket = await aRawSocket();
      socket.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
      const { code, reason } = await socket.closed;
      return `${code} ${reason}`;
    },
  },
  gRPC: {
    async ask(token) {
      const headers = { authorization: `Bearer ${token}` };
      const call = channel.client(PromotionDefinition).publishTemplateVersion({}, { headers });
      return call.catch((error: { code: string }) => error.code).then(String);
    },
  },
  git: {
    ask: async (token) =>
      refusal(await request("GET /git/demo/acme/orders.git/info/refs?service=git-upload-pack", { token })),
  },
  "internal jobs": { of: () => admin, ask: async (token) => refusal(await internal("GET /jobs", token)) },
  "internal dead letters": {
    of: () => admin,
    ask: async (token) => refusal(await internal("GET /bus/dead-letters", token)),
  },
  "internal provisioning": {
    of: () => admin,
    ask: async (token) => refusal(await internal(`POST /tenants/${tenant.tenantId}/provision`, token)),
  },
  "token exchange": {
    async ask(token) {
      const { status, body } = await exchange(agent, token);
      return `${status} ${String(body["code"])}`;
    },
  },
  userinfo: {
    async ask(token) {
      const { status, body } = await request("GET /connect/userinfo", { token });
      return `${status} ${String(body["code"])}`;
    },
  },
  introspection: {
    async ask(token) {
      const raw = new URLSearchParams({ token }).toString();
      const { text } = await request("POST /connect/introspect", { raw, headers: asClient(service) });
      return text;
    },
  },
};

const answers: Partial<Record<string, string>> = {
  websocket: `4403 ${unknown}`,
  gRPC: unknown,
  // RFC 7662 section 2.2
  introspection: '{"active":false}',
};

describe("a signed token of a tenant that does not exist", () => {
  it.each(Object.keys(entryPoints))("is refused at the entry point %s", async (entryPoint) => {
    const { of = () => ownToken, ask } = entryPoints[entryPoint] ?? { ask: async () => "no such entry point" };
    expect(await ask(signedFor(newId("ten"), of()))).toBe(answers[entryPoint] ?? `403 ${unknown}`);
  });

  it("is not stored when it is revoked", async () => {
    const tenantId = newId("ten");
    const raw = new URLSearchParams({ token: signedFor(tenantId, ownToken) }).toString();
    const { status } = await request("POST /connect/revocation", { raw, headers: asClient(service) });
    const events = await rows("select from spine.outbox where envelope->>'tenantid' = $1", [tenantId]);
    expect([status, events]).toEqual([200, []]);
  });
});

describe("a tenant that was provisioned a moment ago", () => {
  it.each(
    Object.keys(entryPoints).filter(
      (entryPoint) => entryPoints[entryPoint]?.of === undefined && entryPoint !== "websocket",
    ),
  )("is known at the entry point %s", async (entryPoint) => {
    const fresh = await aTenant();
    expect(await entryPoints[entryPoint]?.ask(await fresh.tokenWith())).not.toContain(unknown);
  });
});
