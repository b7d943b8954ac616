import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { notificationTargets } from "./commands/notification-targets/notification-targets.module.js";
import { sourceControl } from "./commands/source-control/source-control.module.js";
import { vendorCommands } from "./commands/vendor-commands/vendor-commands.module.js";
import { connectionAuthorization } from "./connections/connection-authorization/connection-authorization.module.js";
import { connectionHealth } from "./connections/connection-health/connection-health.module.js";
import { connections } from "./connections/connections/connections.module.js";
import { vendorCalls } from "./connections/vendor-calls/vendor-calls.module.js";
import { credentialRotation } from "./credential-rotation/credential-rotation.module.js";
import { credentials } from "./credentials/credentials/credentials.module.js";
import { secrets } from "./credentials/secrets/secrets.module.js";
import { deliveryHandling } from "./deliveries/delivery-handling/delivery-handling.module.js";
import { inboundDeliveries } from "./deliveries/inbound-deliveries/inbound-deliveries.module.js";
import { refusedDeliveries } from "./deliveries/refused-deliveries/refused-deliveries.module.js";
import { eventTypes } from "./event-types/event-types/event-types.module.js";
import { causalChains } from "./events/causal-chains/causal-chains.module.js";
import { eventLog } from "./events/event-log/event-log.module.js";
import { eventPulls } from "./events/event-pulls/event-pulls.module.js";
import { events } from "./events/events/events.module.js";
import { nodes } from "./events/nodes/nodes.module.js";
import { egress } from "./ground/egress/egress.module.js";
import { tenantProjections } from "./ground/tenant-projections/tenant-projections.module.js";
import { modelBudgets } from "./models-and-tools/model-budgets/model-budgets.module.js";
import { modelContents } from "./models-and-tools/model-contents/model-contents.module.js";
import { modelInvocation } from "./models-and-tools/model-invocation/model-invocation.module.js";
import { toolInvocations } from "./models-and-tools/tool-invocations/tool-invocations.module.js";
import { presetList } from "./providers/preset-list/preset-list.module.js";
import { providers } from "./providers/providers/providers.module.js";
import { runs } from "./runs/runs.module.js";
import { webhookDispatch } from "./webhooks/webhook-dispatch/webhook-dispatch.module.js";
import { webhookMessages } from "./webhooks/webhook-messages/webhook-messages.module.js";
import { webhookOperations } from "./webhooks/webhook-operations/webhook-operations.module.js";
import { webhookReplays } from "./webhooks/webhook-replays/webhook-replays.module.js";
import { webhookSubscriptions } from "./webhooks/webhook-subscriptions/webhook-subscriptions.module.js";

/** This subgraph's slices. A slice uses only slices above its own. */
export const integrationModules = [
  tenantProjections,
  eventTypes,
  egress,
  providers,
  presetList,
  credentials,
  secrets,
  runs,
  connections,
  vendorCalls,
  modelBudgets,
  modelContents,
  modelInvocation,
  connectionHealth,
  connectionAuthorization,
  toolInvocations,
  credentialRotation,
  webhookSubscriptions,
  webhookMessages,
  webhookDispatch,
  webhookOperations,
  webhookReplays,
  refusedDeliveries,
  inboundDeliveries,
  deliveryHandling,
  vendorCommands,
  notificationTargets,
  sourceControl,
  eventLog,
  eventPulls,
  events,
  causalChains,
  nodes,
] as const;

export type IntegrationSettings = SettingsOf<typeof integrationModules>;
