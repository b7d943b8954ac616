// biome-ignore-all format: one row per command, aligned
import type { Scope } from "./scopes.js";
import type { SubgraphName } from "./subgraph-names.js";

/** Every bus command with the subgraph that handles it. Its actor must hold all `scopes`. */
export const commandTypes = {
  PublishTemplateVersion:   { handler: "catalog", scopes: ["templates.publish"] },
  DeprecateTemplateVersion: { handler: "catalog", scopes: ["templates.publish"] },
  PublishLibraryVersion:    { handler: "catalog", scopes: ["libraries.publish"] },
  DeprecateLibraryVersion:  { handler: "catalog", scopes: ["libraries.publish"] },
  RetireLibraryVersion:     { handler: "catalog", scopes: ["libraries.publish"] },
  ImportLibraryPackage:     { handler: "catalog", scopes: ["libraries.write"] },
  ScanDependencies:         { handler: "catalog", scopes: ["templates.execute", "libraries.read"] },
  ProvisionTenant:          { handler: "spine", scopes: ["tenant.manage"] },
  GenerateReport:           { handler: "spine", scopes: ["report.generate"] },
  ExpireInvitation:         { handler: "spine", scopes: ["user.invite"] },
  RenewSubscription:        { handler: "spine", scopes: ["subscription.manage"] },
  SendEmail:                { handler: "integration", scopes: ["notification.send"] },
  SendSms:                  { handler: "integration", scopes: ["notification.send"] },
  SyncContact:              { handler: "integration", scopes: ["integration.connections.write"] },
  OpenTicket:               { handler: "integration", scopes: ["integration.connections.write"] },
  ChargePayment:            { handler: "integration", scopes: ["payments.write"] },
  RefundPayment:            { handler: "integration", scopes: ["payments.write"] },
  CreateCheckoutSession:    { handler: "integration", scopes: ["payments.write"] },
} as const satisfies Record<string, { handler: SubgraphName; scopes: readonly Scope[] }>;

/** A command's type, for example `ImportLibraryPackage`. */
export type CommandType = keyof typeof commandTypes;

/** The commands that a subgraph handles. */
export type CommandOf<Handler extends SubgraphName> = {
  [C in CommandType]: (typeof commandTypes)[C]["handler"] extends Handler ? C : never;
}[CommandType];

/** The command names that a subgraph handles. */
export const commandsOf = <Handler extends SubgraphName>(handler: Handler): CommandOf<Handler>[] =>
  (Object.keys(commandTypes) as CommandType[]).filter(
    (type): type is CommandOf<Handler> => commandTypes[type].handler === handler,
  );
