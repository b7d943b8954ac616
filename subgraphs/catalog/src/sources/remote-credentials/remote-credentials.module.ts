import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SourceReader } from "../sources/source-reader.js";
import { RemoteCredentials } from "./remote-credentials.js";
import type { SecretResolver } from "./secret-resolver.js";
import { TemplateSources } from "./template-sources.js";

/** The credentials for sources and targets. */
export interface RemoteCredentialSettings {
  /** The reference to the tenant's credential for a template source host, by `host` or `host:port`. */
  readonly sourceCredentials: ReadonlyMap<string, string>;
  /** Without it, targets and sources that need a credential are refused. */
  readonly secrets?: SecretResolver;
}

/** Tenants' logins and SSH keys for sources and targets. */
export const remoteCredentials: SliceModule<RemoteCredentialSettings> = {
  slice: "remote-credentials",
  start({ settings }, services) {
    const credentials = services.add(new RemoteCredentials(settings.secrets));
    services.add(new TemplateSources(services.get(SourceReader), credentials, settings.sourceCredentials));
  },
};
