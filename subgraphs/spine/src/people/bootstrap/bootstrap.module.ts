import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ClientSecrets } from "../../oauth-clients/client-secret.js";
import type { GivenClient, PlatformClient } from "../../oauth-clients/platform-client.js";
import { writeBootstrapFile } from "./bootstrap-file.js";
import { bootstrapPlatform } from "./bootstrap-platform.js";

export interface BootstrapSettings {
  readonly issuer: string;
  /** The platform administrator's client. Without it, one is generated. */
  readonly platformClient?: GivenClient | undefined;
  /** The folder in which `bootstrap.json` is written for a generated client. */
  readonly dataDir?: string;
}

/** The platform administrator's client. */
export const platformClientService = serviceKey<PlatformClient>("PlatformClient");

const minSecretLength = 32;

/** It stands last in the list: the authorization server has then proved that SECRETS_KEY fits this database. */
export const bootstrap: SliceModule<BootstrapSettings> = {
  slice: "bootstrap",
  async start({ settings, database, logger }, services) {
    const { issuer, platformClient: givenClient, dataDir } = settings;
    const client = await bootstrapPlatform(database, services.get(ClientSecrets), givenClient);
    services.add(client, platformClientService);
    if (givenClient && givenClient.secret.length < minSecretLength)
      logger.warn("PLATFORM_CLIENT_SECRET is short enough to be guessed: use 32 random characters or more");
    const { clientId, clientSecret } = client;
    if (dataDir !== undefined && clientSecret !== undefined)
      await writeBootstrapFile(dataDir, { issuer, clientId, clientSecret });
  },
};
