import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { Credential } from "./credential.entity.js";
import { CredentialResolver } from "./credential.resolver.js";
import { CredentialService } from "./credential.service.js";
import { readCredentials } from "./credential.type.js";
import { CredentialListService } from "./credential-list.service.js";
import { CredentialVersion } from "./credential-version.entity.js";
import { CredentialVersions } from "./credential-versions.js";
import { EmbeddedSecretStore } from "./embedded-secret-store.js";
import { sealedCredentials } from "./sealed-credentials.js";
import { SecretDigest } from "./secret-digest.js";
import { type SecretStore, secretStore } from "./secret-store.js";

export interface CredentialSettings {
  /** Credentials are sealed under them. */
  readonly masterKeys: MasterKeys;
  /** The time by which grace periods and expiries end. Default: the system clock. */
  readonly clock?: () => Date;
}

/** Tenants' secrets, sealed with the master keys. */
export const credentials: SliceModule<CredentialSettings> = {
  slice: "credentials",
  entities: [Credential, CredentialVersion],
  foreignKeys: {
    "credential_versions.credential_id": {
      to: "credentials.credential_id",
      onDelete: "cascade",
      why: "A sealed secret is bound to its credential and can be opened for it alone.",
    },
    "credentials.current_version": {
      to: null,
      why: "There is a key in the other direction; two rows that name each other would have to be deleted together.",
    },
    "credentials.rotation_run_id": { to: null, why: "A run names its credential and is deleted before it." },
    "credential_versions.verification_run_id": { to: null, why: "A version is kept longer than its run." },
  },
  events: ["CredentialCreated", "CredentialVersionRetired", "CredentialRevoked"],
  start({ database, cursors, settings }, services) {
    const { masterKeys, clock = () => new Date() } = settings;
    const store = services.add<SecretStore>(new EmbeddedSecretStore(masterKeys), secretStore);
    const digest = services.add(new SecretDigest(masterKeys));
    services.add(new CredentialService(database, store, digest, clock));
    services.add(new CredentialListService(database, cursors));
    services.add(new CredentialVersions(store, clock));
  },
  sealedTables: ({ masterKeys }) => [sealedCredentials(new EmbeddedSecretStore(masterKeys))],
  resolvers: (get) => [new CredentialResolver(get(CredentialService), get(CredentialListService))],
  links: {
    "Credential.verificationRunId": { to: "Run" },
    "CredentialVersion.verificationRunId": { to: "Run" },
  },
  references(get) {
    const service = get(CredentialService);
    return {
      Credential: {
        id: { prefix: "crd", field: "credentialId" },
        auth: readCredentials,
        resolve: ({ credentialId = "" }, context) => service.find(context, credentialId),
      },
    };
  },
};
