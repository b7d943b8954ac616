import { randomBytes } from "node:crypto";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import Provider, { type Adapter, type AdapterPayload } from "oidc-provider";
import type { VendorServer } from "./vendor.fixture.js";

export interface TokenServer {
  readonly tokenUrl: string;
  /** Answered grants by type; refused ones as `<type> refused`. */
  readonly grants: ReadonlyMap<string, number>;
  /** The client `keyed`'s private key, as PEM. */
  readonly privateKey: string;
  /** The secret for the clients `basic` and `post`. */
  readonly clientSecret: string;
  /** A refresh token as after a sign-in at the vendor with the client `basic`. */
  refreshToken(): Promise<string>;
  isValid(token: string): Promise<boolean>;
}

const scope = "openid offline_access api";

/**
 * Static clients in oidc-provider are cloned, which gives objects from another realm in a test. So clients are rows
 * too.
 */
function memoryOf(rows: Map<string, AdapterPayload>): (model: string) => Adapter {
  return (model) => ({
    upsert: async (id, payload) => void rows.set(`${model}:${id}`, payload),
    find: async (id) => rows.get(`${model}:${id}`),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    destroy: async (id) => void rows.delete(`${model}:${id}`),
    async consume(id) {
      Object.assign(rows.get(`${model}:${id}`) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
    },
    async revokeByGrantId(grantId) {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
    },
  });
}

/** The real oidc-provider as a vendor's authorization server. It rotates refresh tokens. */
export async function aTokenServer(vendor: VendorServer, accessTokenSeconds = 600): Promise<TokenServer> {
  const [signing, clientKey] = await Promise.all([1, 2].map(() => generateKeyPair("ES256", { extractable: true })));
  if (!signing || !clientKey) throw new Error("no keys");
  const clientSecret = "a secret: with % and +";
  const rows = new Map<string, AdapterPayload>();
  const register = (client_id: string, method: string, more: object) =>
    void rows.set(`Client:${client_id}`, {
      client_id,
      token_endpoint_auth_method: method,
      redirect_uris: ["https://platform.example/callback"],
      response_types: ["code"],
      grant_types: ["client_credentials", "authorization_code", "refresh_token"],
      scope,
      id_token_signed_response_alg: "ES256",
      ...more,
    } as AdapterPayload);
  const publicKey = { ...(await exportJWK(clientKey.publicKey)), alg: "ES256", use: "sig" };
  register("basic", "client_secret_basic", { client_secret: clientSecret });
  register("post", "client_secret_post", { client_secret: clientSecret });
  register("keyed", "private_key_jwt", { jwks: { keys: [publicKey] } });
  const ttl = { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds };
  const provider = new Provider(`${vendor.origin}/oauth`, {
    adapter: memoryOf(rows),
    jwks: { keys: [{ ...(await exportJWK(signing.privateKey)), alg: "ES256", use: "sig" }] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: scope.split(" "),
    ttl: { ...ttl, Grant: 86_400, RefreshToken: 86_400, IdToken: 600 },
    rotateRefreshToken: true,
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const grants = new Map<string, number>();
  const count = (name: string) => grants.set(name, (grants.get(name) ?? 0) + 1);
  provider.on("grant.success", ({ oidc }) => count(String(oidc.params?.["grant_type"])));
  provider.on("grant.error", ({ oidc }) => count(`${String(oidc.params?.["grant_type"])} refused`));
  const callback = provider.callback();
  vendor.serve("/oauth", (request, response) => {
    request.url = request.url?.slice("/oauth".length);
    void callback(request, response);
  });
  return {
    tokenUrl: `${vendor.origin}/oauth/token`,
    grants,
    privateKey: await exportPKCS8(clientKey.privateKey),
    clientSecret,
    async refreshToken() {
      const basic = await provider.Client.find("basic");
      if (!basic) throw new Error("no client");
      const grant = new provider.Grant({ accountId: "user", clientId: "basic" });
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const token = new provider.RefreshToken({
        ...{ accountId: "user", client: basic, grantId, scope, gty: "authorization_code", expiresWithSession: false },
      } as never);
      return token.save();
    },
    async isValid(token) {
      return Boolean((await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token)));
    },
  };
}
