import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { RunService } from "../../runs/run.service.js";
import { ModelContent } from "./model-content.entity.js";
import { ModelContentResolver } from "./model-content.resolver.js";
import { contentSeal, ModelContents, sealedContents } from "./model-contents.js";

export interface ModelContentSettings {
  /** Prompts and answers are sealed under them. */
  readonly masterKeys: MasterKeys;
}

/** Models' prompts and answers, for tenants whose configuration keeps them. */
export const modelContents: SliceModule<ModelContentSettings> = {
  slice: "model-contents",
  entities: [ModelContent],
  foreignKeys: {
    "model_contents.run_id": { to: null, why: "The content expires by itself, mostly long before its run." },
  },
  start({ database, settings }, services) {
    const seal = contentSeal(settings.masterKeys);
    services.add(new ModelContents(database, seal, services.get(TenantFacts)));
  },
  resolvers: (get) => [new ModelContentResolver(get(ModelContents), get(RunService))],
  sealedTables: ({ masterKeys }) => [sealedContents(contentSeal(masterKeys))],
  retention: () => [{ table: "model_contents", expired: "expires_at < now()", order: "expires_at" }],
};
