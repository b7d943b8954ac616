// biome-ignore-all format: one row per command, aligned
import type { Scope } from "./scopes.js";
import type { SubgraphName } from "./subgraph-names.js";

/** Every command of the bus, the subgraph that handles it and the scopes that its actor must hold, all of them. */
export const commandTypes = {
  PublishTemplateVersion:   { handler: "catalog", scopes: ["templates.publish"] },
  DeprecateTemplateVersion: { handler: "catalog", scopes: ["templates.publish"] },
  PublishLibraryVersion:    { handler: "catalog", scopes: ["libraries.publish"] },
  DeprecateLibraryVersion:  { handler: "catalog", scopes: ["libraries.publish"] },
  RetireLibraryVersion:     { handler: "catalog", scopes: ["libraries.publish"] },
  ImportLibraryPackage:     { handler: "catalog", scopes: ["libraries.write"] },
} as const satisfies Record<string, { handler: SubgraphName; scopes: readonly Scope[] }>;

export type CommandType = keyof typeof commandTypes;
