import { randomBytes } from "node:crypto";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import Provider, { type ClientMetadata } from "oidc-provider";
import type { VendorServer } from "./vendor.fixture.js";

export interface TokenServer {
  readonly tokenUrl: string;
  /** Answered grants by type; refused ones as `<type> refused`. */
  readonly grants: ReadonlyMap<string, number>;
  /** A private key of the client `keyed`, as PEM. */
  readonly privateKey: string;
  /** The secret of the clients `basic` and `post`. */
  readonly clientSecret: string;
  /** A refresh token as after a sign-in at the vendor with the client `basic`. */
  refreshToken(): Promise<string>;
  isValid(token: string): Promise<boolean>;
}

const scope = "openid offline_access api";

/** The real oidc-provider as the authorization server of a vendor. It rotates refresh tokens. */
export async function aTokenServer(vendor: VendorServer, accessTokenSeconds = 600): Promise<TokenServer> {
  const [signing, keyed] = await Promise.all(
    [1, 2].map(() => generateKeyPair("ES256", { extractable: true })),
  );
  if (!signing || !keyed) throw new Error("no keys");
  const clientSecret = "a secret: with % and +";
  const client = (client_id: string, method: string, more: object): ClientMetadata => ({
    client_id,
    token_endpoint_auth_method: method as "none",
    redirect_uris: ["https://platform.example/callback"],
    response_types: ["code"],
    grant_types: ["client_credentials", "authorization_code", "refresh_token"],
    scope,
    id_token_signed_response_alg: "ES256",
    ...more,
  });
  const publicKey = { ...(await exportJWK(keyed.publicKey)), alg: "ES256", use: "sig" };
  const ttl = { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds };
  const provider = new Provider(`${vendor.origin}/oauth`, {
    clients: [
      client("basic", "client_secret_basic", { client_secret: clientSecret }),
      client("post", "client_secret_post", { client_secret: clientSecret }),
      client("keyed", "private_key_jwt", { jwks: { keys: [publicKey] } }),
    ],
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
    privateKey: await exportPKCS8(keyed.privateKey),
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
