import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SourceReader } from "../sources/source-reader.js";
import { RemoteCredentials } from "./remote-credentials.js";
import type { SecretResolver } from "./secret-resolver.js";
import { TemplateSources } from "./template-sources.js";

/** The credentials for sources and targets. */
export interface RemoteCredentialSettings {
  /** The reference of the tenant's credential for a host of template sources, by `host` or `host:port`. */
  readonly sourceCredentials: ReadonlyMap<string, string>;
  /** Without it, targets and sources that need a credential are refused. */
  readonly secrets?: SecretResolver;
}

/** Logins and SSH keys of tenants for sources and targets. */
export const remoteCredentials: SliceModule<RemoteCredentialSettings> = {
  slice: "remote-credentials",
  start({ settings }, services) {
    const credentials = services.add(new RemoteCredentials(settings.secrets));
    services.add(new TemplateSources(services.get(SourceReader), credentials, settings.sourceCredentials));
  },
};
