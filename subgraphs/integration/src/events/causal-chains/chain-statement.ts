// tables: event_log, runs, vendor_commands, webhook_deliveries, webhook_messages
import { tenantStatement } from "@factory/runtime/db/tenant-statement";

/** The most members in a chain. */
export const maxMembers = 500;

/** Event log rows are deleted after 7 days, at times a little later. */
const isKept = "recorded_at > now() - interval '7 days'";

/** The event that was asked for. */
export const chainStart = tenantStatement(
  "causal_chain_start",
  `select sequence, envelope->>'correlationid' as correlation_id from event_log
   where tenant_id = scope.tenant and event_id = $2 and ${isKept}`,
);

const columns = `event_id, type, recorded_at, envelope->>'time' as time, envelope->>'causationid' as causation_id,
  envelope->>'subject' as subject, envelope->>'traceid' as trace_id, envelope->'data'->>'runId' as run_id,
  envelope->'data'->>'verificationRunId' as verification_run_id, envelope->'data'->>'deliveryId' as delivery_id,
  envelope->'data'->>'connectionId' as connection_id, envelope->'data'->>'command' as command`;

/**
 * The events with the correlation, earliest first, and whether the search has come to both ends of the log. It looks at
 * `$scanned` events on each side, so that it takes a bounded time. The search compares hashes, so that it does not read
 * all envelopes; the few that match are compared as text.
 */
export const chainEvents = tenantStatement(
  "causal_chain_events",
  `with looked_at as materialized (
     (select sequence, correlation_hash from event_log where tenant_id = scope.tenant and sequence >= $sequence
      order by sequence limit $scanned)
     union all
     (select sequence, correlation_hash from event_log where tenant_id = scope.tenant and sequence < $sequence
      order by sequence desc limit $scanned)),
   matching as materialized (
     select sequence from looked_at where correlation_hash = hashtextextended($correlationId, 0) or sequence = $sequence
     order by sequence limit $limit)
   select ${columns},
     (select count(*) filter (where sequence >= $sequence) < $scanned
        and count(*) filter (where sequence < $sequence) < $scanned from looked_at) as complete
   from event_log
   where tenant_id = scope.tenant and sequence = any(array(select sequence from matching))
     and envelope->>'correlationid' = $correlationId and ${isKept}
   order by sequence`,
);

/**
 * The objects that a chain's events name: runs, vendors' deliveries, the webhooks that send these events, and commands
 * to vendors.
 */
export const chainObjects = tenantStatement(
  "causal_chain_objects",
  `(select 'Run' as kind, run_id as id, operation as type, created_at as time, status, connection_id,
      null::uuid as event_id, null::uuid as subscription_id, split_part(traceparent, '-', 2) as trace_id
    from runs where tenant_id = scope.tenant and run_id = any($runs) and correlation_id = $correlationId
    order by run_id limit $limit)
   union all
   (select 'Delivery', delivery_id, normalized_event_type, received_at, status, connection_id, null, null, trace_id
    from webhook_deliveries where tenant_id = scope.tenant and delivery_id = any($deliveries)
    order by delivery_id limit $limit)
   union all
   (select 'Webhook', message_id, event_type, created_at, status, null, event_id, subscription_id, null
    from webhook_messages where tenant_id = scope.tenant and event_id = any($events) order by message_id limit $limit)
   union all
   (select 'Command', command_id, type, received_at, status, connection_id, null, null, null
    from vendor_commands where tenant_id = scope.tenant and command_id = any($commands)
    order by command_id limit $limit)`,
);

/** A row from `chainEvents`. */
export interface ChainEventRow {
  readonly event_id: string;
  readonly type: string;
  readonly time: string;
  readonly causation_id: string | null;
  readonly subject: string;
  readonly trace_id: string;
  readonly run_id: string | null;
  readonly verification_run_id: string | null;
  readonly delivery_id: string | null;
  readonly connection_id: string | null;
  readonly command: string | null;
  readonly complete: boolean;
}

/** A row from `chainObjects`. */
export interface ChainObjectRow {
  readonly kind: "Run" | "Delivery" | "Webhook" | "Command";
  readonly id: string;
  readonly type: string;
  readonly time: Date;
  readonly status: string;
  readonly connection_id: string | null;
  readonly event_id: string | null;
  readonly subscription_id: string | null;
  readonly trace_id: string | null;
}
