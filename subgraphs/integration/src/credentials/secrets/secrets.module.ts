import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialService } from "../credentials/credential.service.js";
import { secretEndpoint } from "./secret.endpoint.js";
import { SecretService } from "./secret.service.js";

/** The gRPC service that gives secrets to the catalog. */
export const secrets: SliceModule = {
  slice: "secrets",
  grpcServices: (get, { logger }) => [secretEndpoint(new SecretService(get(CredentialService), logger))],
};
