import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/** The message that the bench sends to this child process. */
export interface BareClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** Serves oidc-provider with its memory store and one configured client. It signs the same tokens as the platform. */
async function serve({ clientId, clientSecret, scope }: BareClient): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig" }] },
    routes: { token: "/connect/token" },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        getResourceServerInfo: () => ({
          scope,
          audience: issuer,
          accessTokenFormat: "jwt",
          accessTokenTTL: 900,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  const callback = provider.callback();
  server.on("request", (request, response) => void callback(request, response));
  return issuer;
}

const [client] = (await once(process, "message")) as [BareClient];
process.send?.(await serve(client));
process.once("disconnect", () => process.exit());
