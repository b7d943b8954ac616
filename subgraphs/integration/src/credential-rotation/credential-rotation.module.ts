import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialVersions } from "../credentials/credential-versions.js";
import { CredentialRevocationService } from "./credential-revocation.service.js";
import { CredentialRotationResolver } from "./credential-rotation.resolver.js";

/** Rotation of credentials: a new version is verified, promoted, and the old one retired after its grace period. */
export const credentialRotation: SliceModule = {
  slice: "credential-rotation",
  events: ["CredentialRevoked", "CredentialVersionRetired"],
  start({ database }, services) {
    services.add(new CredentialRevocationService(database, services.get(CredentialVersions)));
  },
  resolvers: (get) => [new CredentialRotationResolver(get(CredentialRevocationService))],
};
