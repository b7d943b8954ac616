import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, FlattenedSign, generateKeyPair } from "jose";

export type JwsKey = CryptoKey | Uint8Array;

const aPair = () => generateKeyPair("ES256", { extractable: true });

/** A key that no vendor has published. */
export const anotherKey = async (): Promise<JwsKey> => (await aPair()).privateKey;

/** A vendor that signs with its own key, and publishes the public half as the key `one` in a key set. */
export interface JwsVendor {
  readonly jwksUrl: string;
  /** The webhook scheme for this vendor's provider. */
  readonly scheme: object;
  /** The detached JWS (RFC 7797) for a body. The header and the key can be others. */
  sign(raw: string, header?: Record<string, unknown>, key?: JwsKey): Promise<string>;
  close(): Promise<void>;
}

export async function aJwsVendor(): Promise<JwsVendor> {
  const { privateKey, publicKey } = await aPair();
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" }];
  const server = createServer((_, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  return {
    jwksUrl,
    scheme: { kind: "jws", header: "x-jws-signature", algorithms: ["ES256"], jwksUrl },
    async sign(raw, header = {}, key = privateKey) {
      const jws = await new FlattenedSign(Buffer.from(raw))
        .setProtectedHeader({ alg: "ES256", kid: "one", b64: false, crit: ["b64"], ...header })
        .sign(key, { crit: { b64: true } });
      return `${jws.protected}..${jws.signature}`;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
