import { createHash } from "node:crypto";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { VendorConnection } from "./exchange/vendor-call.js";
import { namedSettings } from "./vendor-url.js";

/** The OAuth 2 client by which tokens were got. */
export interface TokenClient {
  readonly credentialId: string;
  /** The credential's version. */
  readonly version: number;
  /** Stands for the connection's settings that the vendor's URLs name: others are another account. */
  readonly settings: string;
}

/** The clients whose tokens a connection may use now. */
export interface AllowedClients {
  readonly credentialId: string | null;
  /** The Current version, then Previous ones within their grace period. None: the credential cannot be used. */
  readonly versions: readonly number[];
  readonly settings: string;
}

/** A digest over the settings that the token URL and the authorization URL name. */
export function settingsOf(
  { driver: { oauth2 } }: Pick<ProviderRecord, "driver">,
  { configuration }: Pick<VendorConnection, "configuration">,
): string {
  const urls = [oauth2?.tokenUrl, oauth2?.authorizationUrl].filter((url) => url !== undefined);
  const settings = urls.flatMap((url) => namedSettings(url, configuration));
  return settings.length === 0 ? "" : createHash("sha256").update(JSON.stringify(settings)).digest("base64url");
}

/** Whether this client's tokens may be shown to the vendor's API. */
export const isAllowedClient = (client: TokenClient | null, clients: AllowedClients): boolean =>
  hasGrantOf(client, clients) && clients.versions.includes(client?.version ?? 0);

/** Whether the connection may use the client's refresh token: that outlives a change to the client's secret. */
export const hasGrantOf = (client: TokenClient | null, { credentialId, settings }: AllowedClients): boolean =>
  client !== null && client.credentialId === credentialId && client.settings === settings;

/** The client by which the connection gets its next token; null where its credential cannot be used. */
export function nextClient({ credentialId, versions, settings }: AllowedClients): TokenClient | null {
  const [version] = versions;
  return credentialId === null || version === undefined ? null : { credentialId, version, settings };
}
