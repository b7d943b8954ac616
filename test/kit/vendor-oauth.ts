import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { exportJWK, exportPKCS8, generateKeyPair, type JWK } from "jose";
import Provider, { type Adapter, type AdapterPayload } from "oidc-provider";

interface VendorClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface OAuthOptions {
  readonly accessTokenSeconds?: number;
  /** Each refresh answers a new refresh token, and a former one that is used again ends the grant. */
  readonly rotatesRefreshTokens?: boolean;
}

/** The account that signs in on the vendor's pages by itself. */
const accountId = "vendor-user";
const scope = "openid offline_access api";

/** A vendor's OAuth 2 server: the real oidc-provider, whose user signs in and consents without a page. */
export interface VendorOAuth {
  readonly tokenUrl: string;
  readonly authorizationUrl: string;
  readonly revocationUrl: string;
  /** Authenticates with client_secret_basic. */
  readonly basic: VendorClient;
  /** Authenticates with client_secret_post. */
  readonly post: VendorClient;
  /** Authenticates with private_key_jwt (ES256); the key is PKCS #8. */
  readonly keyed: { readonly clientId: string; readonly privateKey: string };
  /** The number of answered grants by type, for example `refresh_token`. Refused ones are `refresh_token refused`. */
  readonly grants: ReadonlyMap<string, number>;
  /** Gives a client another secret; the old one is refused from now on. */
  changeSecret(client: VendorClient): VendorClient;
  /** Registers a page that authorization codes may be sent to, for all clients. */
  returnTo(redirectUri: string): void;
  /** Makes the user refuse (or give) consent. */
  refuseConsent(refused: boolean): void;
  /** Ends all tokens and grants, as a user does who removes the application at the vendor. */
  revokeAll(): void;
  isValidToken(token: string): Promise<boolean>;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

type Rows = Map<string, AdapterPayload>;

/** Keeps everything in memory, the clients too, so that a test can change a client and forget all grants. */
function memoryOf(rows: Rows): (model: string) => Adapter {
  return (model) => {
    const find = async (belongs: (key: string, row: AdapterPayload) => boolean) =>
      [...rows].find(([key, row]) => key.startsWith(`${model}:`) && belongs(key, row))?.[1];
    return {
      upsert: async (id, payload, expiresIn) =>
        void rows.set(`${model}:${id}`, { ...payload, ...(expiresIn && { exp: nowSeconds() + expiresIn }) }),
      find: (id) => find((key) => key === `${model}:${id}`),
      findByUid: (uid) => find((_, row) => row.uid === uid),
      findByUserCode: (code) => find((_, row) => row.userCode === code),
      destroy: async (id) => void rows.delete(`${model}:${id}`),
      async consume(id) {
        const row = rows.get(`${model}:${id}`);
        if (row) row.consumed = nowSeconds();
      },
      async revokeByGrantId(grantId) {
        for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
      },
    };
  };
}

const nowSeconds = () => Math.floor(Date.now() / 1000);
const aSecret = () => randomBytes(32).toString("base64url");

/** Makes a vendor's OAuth 2 server for this issuer (the address of the vendor's server). */
export async function aVendorOAuth(issuer: string, options: OAuthOptions = {}): Promise<VendorOAuth> {
  const rows: Rows = new Map();
  const redirectUris: string[] = [];
  const grantTypes = () => ({
    redirect_uris: [...redirectUris],
    response_types: redirectUris.length > 0 ? ["code"] : [],
    grant_types: ["client_credentials", ...(redirectUris.length > 0 ? ["authorization_code", "refresh_token"] : [])],
  });
  const register = (
    clientId: string,
    authentication: string,
    more: { client_secret?: string; jwks?: { keys: JWK[] } },
  ) =>
    void rows.set(`Client:${clientId}`, {
      client_id: clientId,
      token_endpoint_auth_method: authentication,
      ...grantTypes(),
      scope,
      id_token_signed_response_alg: "ES256",
      ...more,
    } as AdapterPayload);
  const signing = await generateKeyPair("ES256", { extractable: true });
  const client = await generateKeyPair("ES256", { extractable: true });
  const basic = { clientId: "vendor-basic", clientSecret: aSecret() };
  const post = { clientId: "vendor-post", clientSecret: aSecret() };
  register(basic.clientId, "client_secret_basic", { client_secret: basic.clientSecret });
  register(post.clientId, "client_secret_post", { client_secret: post.clientSecret });
  const publicKey = { ...(await exportJWK(client.publicKey)), alg: "ES256", use: "sig" };
  register("vendor-keyed", "private_key_jwt", { jwks: { keys: [publicKey] } });

  const seconds = options.accessTokenSeconds ?? 600;
  const provider = new Provider(issuer, {
    adapter: memoryOf(rows),
    jwks: { keys: [{ ...(await exportJWK(signing.privateKey)), alg: "ES256", use: "sig" }] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    cookies: { keys: [aSecret()] },
    scopes: scope.split(" "),
    ttl: {
      AccessToken: seconds,
      ClientCredentials: seconds,
      ...{ Interaction: 600, Session: 600, Grant: 86_400, RefreshToken: 86_400, IdToken: 600 },
    },
    rotateRefreshToken: options.rotatesRefreshTokens ?? false,
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      revocation: { enabled: true },
    },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  });
  const grants = new Map<string, number>();
  const count = (name: string) => grants.set(name, (grants.get(name) ?? 0) + 1);
  provider.on("grant.success", ({ oidc }) => count(String(oidc.params?.grant_type)));
  provider.on("grant.error", ({ oidc }) => count(`${String(oidc.params?.grant_type)} refused`));
  let isConsentRefused = false;

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === "login") {
      await provider.interactionFinished(request, response, { login: { accountId } });
    } else if (isConsentRefused) {
      await provider.interactionFinished(request, response, { error: "access_denied" });
    } else {
      const grant = new provider.Grant({
        accountId: session?.accountId ?? accountId,
        clientId: String(params.client_id),
      });
      grant.addOIDCScope(scope);
      await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
    }
  }

  const callback = provider.callback();
  return {
    tokenUrl: `${issuer}/token`,
    authorizationUrl: `${issuer}/auth`,
    revocationUrl: `${issuer}/token/revocation`,
    basic,
    post,
    keyed: { clientId: "vendor-keyed", privateKey: await exportPKCS8(client.privateKey) },
    grants,
    changeSecret({ clientId }) {
      const newCredentials = { clientId, clientSecret: aSecret() };
      const row = rows.get(`Client:${clientId}`);
      register(clientId, String(row?.token_endpoint_auth_method), { client_secret: newCredentials.clientSecret });
      return newCredentials;
    },
    returnTo(redirectUri) {
      redirectUris.push(redirectUri);
      for (const [key, row] of rows)
        if (key.startsWith("Client:")) rows.set(key, { ...row, ...grantTypes() } as AdapterPayload);
    },
    refuseConsent(value) {
      isConsentRefused = value;
    },
    revokeAll() {
      for (const key of rows.keys()) if (!key.startsWith("Client:")) rows.delete(key);
    },
    async isValidToken(token) {
      return Boolean((await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token)));
    },
    serve(request, response) {
      if (request.url?.startsWith("/interaction/"))
        void interact(request, response).catch(() => response.writeHead(400).end());
      else void callback(request, response);
    },
  };
}
