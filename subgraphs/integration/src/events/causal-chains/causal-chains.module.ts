import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SubjectReferences } from "../events/subject-references.js";
import { CausalChainResolver } from "./causal-chain.resolver.js";
import { CausalChainService } from "./causal-chain.service.js";

export interface CausalChainSettings {
  /** How many of the tenant's events a chain looks at on each side of its event. */
  readonly maxChainEvents?: number;
}

/** The query `causalChain`. */
export const causalChains: SliceModule<CausalChainSettings> = {
  slice: "causal-chains",
  start({ database, settings }, services) {
    services.add(new CausalChainService(database, settings.maxChainEvents ?? 50_000));
  },
  resolvers: (get) => [new CausalChainResolver(get(CausalChainService), get(SubjectReferences))],
};
