import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { causalChains } from "./causal-chains/causal-chains.module.js";
import { connectionAuthorization } from "./connection-authorization/connection-authorization.module.js";
import { connectionHealth } from "./connection-health/connection-health.module.js";
import { connections } from "./connections/connections.module.js";
import { credentialRotation } from "./credential-rotation/credential-rotation.module.js";
import { credentials } from "./credentials/credentials.module.js";
import { deliveryHandling } from "./delivery-handling/delivery-handling.module.js";
import { egress } from "./egress/egress.module.js";
import { eventLog } from "./event-log/event-log.module.js";
import { eventPulls } from "./event-pulls/event-pulls.module.js";
import { eventTypes } from "./event-types/event-types.module.js";
import { events } from "./events/events.module.js";
import { inboundDeliveries } from "./inbound-deliveries/inbound-deliveries.module.js";
import { modelBudgets } from "./model-budgets/model-budgets.module.js";
import { modelContents } from "./model-contents/model-contents.module.js";
import { modelInvocation } from "./model-invocation/model-invocation.module.js";
import { notificationTargets } from "./notification-targets/notification-targets.module.js";
import { providers } from "./providers/providers.module.js";
import { refusedDeliveries } from "./refused-deliveries/refused-deliveries.module.js";
import { runs } from "./runs/runs.module.js";
import { secrets } from "./secrets/secrets.module.js";
import { sourceControl } from "./source-control/source-control.module.js";
import { tenantProjections } from "./tenant-projections/tenant-projections.module.js";
import { toolInvocations } from "./tool-invocations/tool-invocations.module.js";
import { vendorCalls } from "./vendor-calls/vendor-calls.module.js";
import { vendorCommands } from "./vendor-commands/vendor-commands.module.js";
import { webhookDispatch } from "./webhook-dispatch/webhook-dispatch.module.js";
import { webhookMessages } from "./webhook-messages/webhook-messages.module.js";
import { webhookOperations } from "./webhook-operations/webhook-operations.module.js";
import { webhookReplays } from "./webhook-replays/webhook-replays.module.js";
import { webhookSubscriptions } from "./webhook-subscriptions/webhook-subscriptions.module.js";

/** The slices of this subgraph. A slice uses only slices above its own. */
export const integrationModules = [
  tenantProjections,
  eventTypes,
  egress,
  providers,
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
] as const;

export type IntegrationSettings = SettingsOf<typeof integrationModules>;
