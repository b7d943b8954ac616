import { catalogMutations } from "./catalog-mutations.js";
import { integrationMutations } from "./integration-mutations.js";
import type { Prepare } from "./mutation-world.js";
import { spineMutations } from "./spine-mutations.js";

/** Arguments with which each mutation succeeds. A new mutation needs a line in its subgraph's file. */
export const mutationArguments: Readonly<Record<string, Prepare>> = {
  ...catalogMutations,
  ...integrationMutations,
  ...spineMutations,
};
