import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { ModelBudgetUse } from "./model-budget.entity.js";
import { modelBudgetRetention } from "./model-budget.retention.js";
import { ModelBudgets } from "./model-budgets.js";

/** Tenants' budgets for language models. */
export const modelBudgets: SliceModule = {
  slice: "model-budgets",
  entities: [ModelBudgetUse],
  start(_host, services) {
    services.add(new ModelBudgets(services.get(TenantFacts)));
  },
  retention: () => [modelBudgetRetention],
};
