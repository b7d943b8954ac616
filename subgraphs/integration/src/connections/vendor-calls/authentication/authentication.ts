import { createHmac } from "node:crypto";
import type { ClientTls } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { SecretMaterial } from "../../../credentials/credentials/secret-store.js";
import type { ProviderDriver } from "../../../providers/provider-drivers/provider-driver.js";
import { clientTls, headerValue, member, optionalMember } from "./material.js";
import { signedAssertion } from "./signed-assertion.js";

/** The request as it is sent without its credential. */
interface Unauthenticated {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer | string | undefined;
  readonly now: Date;
}

/** The header, query parameter or client certificate that shows the credential. */
export interface Authentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: readonly [name: string, value: string];
  readonly tls?: ClientTls;
}

type Authenticate = (
  material: SecretMaterial,
  request: Unauthenticated,
  driver: ProviderDriver,
) => Authentication | Promise<Authentication>;

const bearer = (token: string): Authentication => ({ headers: { authorization: headerValue(`Bearer ${token}`) } });

const byMode: Readonly<Record<string, Authenticate>> = {
  None: () => ({ headers: {} }),
  MutualTls: (material) => ({ headers: {}, tls: clientTls(material) }),
  ApiKey(material, _, { apiKey = { in: "header", name: "authorization", prefix: "Bearer " } }) {
    const value = `${apiKey.prefix ?? ""}${member(material, "apiKey", "key", "token")}`;
    if (apiKey.in === "query") return { headers: {}, query: [apiKey.name, value] };
    return { headers: { [apiKey.name.toLowerCase()]: headerValue(value) } };
  },
  // RFC 7617, section 2
  Basic(material) {
    const login = `${member(material, "username")}:${optionalMember(material, "password") ?? ""}`;
    return { headers: { authorization: `Basic ${Buffer.from(login).toString("base64")}` } };
  },
  BearerToken: (material) => bearer(member(material, "token", "accessToken")),
  async JwtBearer(material, { url, now }) {
    const issuer = member(material, "issuer");
    const subject = optionalMember(material, "subject") ?? issuer;
    const audience = optionalMember(material, "audience") ?? url.origin;
    return bearer(await signedAssertion(material, { issuer, subject, audience, now }));
  },
  HmacSignature: (material, request, driver) => ({ headers: signatureHeaders(material, request, driver) }),
};

/** The modes whose bearer token comes from the vendor's token endpoint. */
export function usesTokens(authMode: string, driver: ProviderDriver): boolean {
  if (authMode === "JwtBearer") return driver.oauth2 !== undefined;
  return authMode === "OAuth2ClientCredentials" || authMode === "OAuth2AuthorizationCode";
}

export function requireSupportedMode(authMode: string): void {
  const modes = [...Object.keys(byMode), "OAuth2ClientCredentials", "OAuth2AuthorizationCode"];
  if (!modes.includes(authMode))
    throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
      detail: `Calls with the authentication mode "${authMode}" are not supported. Use one of ${modes.join(", ")}.`,
    });
}

/** The credential as the connection's mode shows it to the vendor. */
export async function authenticate(
  authMode: string,
  material: SecretMaterial,
  request: Unauthenticated,
  driver: ProviderDriver,
): Promise<Authentication> {
  const method = Object.hasOwn(byMode, authMode) ? byMode[authMode] : undefined;
  return method ? method(material, request, driver) : { headers: {} };
}

export const withAccessToken = (token: string): Authentication => bearer(token);

const defaultHmac: NonNullable<ProviderDriver["hmac"]> = {
  algorithm: "sha256",
  header: "x-signature",
  encoding: "hex",
  timestampHeader: "x-timestamp",
};

/**
 * Signs `<method>\n<path and query>\n<timestamp>\n<body>`. The timestamp is in seconds; without a header for it in the
 * driver it is left out together with its line. The credential's `keyId` is sent in `x-key-id`.
 */
function signatureHeaders(
  material: SecretMaterial,
  { method, url, body = "", now }: Unauthenticated,
  { hmac = defaultHmac }: ProviderDriver,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const lines = [method, url.pathname + url.search, ...(hmac.timestampHeader ? [timestamp] : []), ""];
  const signature = createHmac(hmac.algorithm, member(material, "secret"))
    .update(lines.join("\n"))
    .update(body)
    .digest(hmac.encoding);
  const keyId = optionalMember(material, "keyId");
  return {
    [hmac.header.toLowerCase()]: `${hmac.prefix ?? ""}${signature}`,
    ...(hmac.timestampHeader !== undefined && { [hmac.timestampHeader.toLowerCase()]: timestamp }),
    ...(keyId !== undefined && { "x-key-id": headerValue(keyId) }),
  };
}
