import "reflect-metadata";
import { catalogModules } from "@factory/catalog/modules";
import { readCommittedSupergraph } from "@factory/gateway/supergraph/committed-supergraph";
import { prepareSupergraph } from "@factory/gateway/supergraph/prepared-supergraph";
import { integrationModules } from "@factory/integration/modules";
import { storedDocuments } from "@factory/rest-facade/stored-documents";
import { moduleSdl } from "@factory/runtime/subgraph/module-schema";
import { spineModules } from "@factory/spine/modules";
import type { PreparedStart } from "./prepared-start.js";

/** Plans all routes' documents and prints the subgraphs. Throws when a document does not fit the supergraph. */
export async function prepareStart(): Promise<PreparedStart> {
  return {
    supergraph: prepareSupergraph(await readCommittedSupergraph(), storedDocuments()),
    subgraphSdls: {
      catalog: moduleSdl("catalog", catalogModules),
      integration: moduleSdl("integration", integrationModules),
      spine: moduleSdl("spine", spineModules),
    },
  };
}
