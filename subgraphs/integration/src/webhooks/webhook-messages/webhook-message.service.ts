import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { SharedWork } from "../webhook-subscriptions/delivery-settings/event-filter.js";
import type { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import { selectsEvent } from "./selects-event.js";
import { type OrderedKeys, originOf, type WebhookLane } from "./webhook-lane.js";
import type { WebhookMessageType } from "./webhook-message.type.js";
import {
  type AttemptRow,
  attemptView,
  type MessageRow,
  messageColumns,
  messageView,
  readMessage,
} from "./webhook-message.view.js";

/** Called with the lanes that have a new message that is due, and with the lanes' keys where the order is kept. */
type DueListener = (lanes: readonly WebhookLane[], ordered: readonly OrderedKeys[]) => void;

interface SequencedEvent {
  readonly sequence: string;
  readonly envelope: Envelope;
}

type MessageWithAttemptsRow = MessageRow & { attempt_log: AttemptRow[] | null };

const messagesOfSubscription = tenantStatement(
  "webhook_messages_of_subscription",
  `select ${messageColumns},
     (select jsonb_agg(to_jsonb(attempt) order by attempt.number) from webhook_attempts attempt
      where attempt.tenant_id = message.tenant_id and attempt.message_id = message.message_id) as attempt_log
   from webhook_messages message
   where tenant_id = scope.tenant and subscription_id = $2 order by created_at desc, message_id desc limit $3`,
);

const insertMessages = namedStatement(
  "webhook_messages_insert",
  `insert into webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
      partition_key, status, attempts, next_attempt_at)
    select $tenant, message_id, subscription_id, event_id, event_type, position, origin, partition_key, 'Pending', 0,
      case when partition_key is null then now() end
    from unnest($ids::uuid[], $subscriptions::uuid[], $events::uuid[], $types::text[], $positions::bigint[],
        $origins::text[], $keys::text[])
      as message(message_id, subscription_id, event_id, event_type, position, origin, partition_key)`,
);

/** Creates the messages that are sent to webhook subscriptions, and lists them with their attempts. */
export class WebhookMessageService {
  readonly #database: Database;
  readonly #subscriptions: WebhookSubscriptionService;
  readonly #dueListeners: DueListener[] = [];

  constructor(database: Database, subscriptions: WebhookSubscriptionService) {
    this.#database = database;
    this.#subscriptions = subscriptions;
  }

  /** The listener is called after each transaction that makes messages commits. */
  onDue(listener: DueListener): void {
    this.#dueListeners.push(listener);
  }

  /**
   * Creates one message for each event and each Active subscription to its type whose project and filter it matches.
   * The messages are due at once. Where a subscription keeps the order, they wait for earlier messages with the same
   * partition key.
   */
  async enqueue(transaction: Transaction, events: readonly SequencedEvent[]): Promise<void> {
    const { tenant } = transaction;
    const types = [...new Set(events.map(({ envelope }) => envelope.type))];
    const active = (await this.#subscriptions.active(transaction, types)).map((subscription) => ({
      ...subscription,
      lane: {
        tenant: tenant.uuid,
        origin: originOf(subscription.endpointUrl),
        subscription: decodeId("whs", subscription.subscriptionId) ?? "",
      },
    }));
    // Appending events to the log waits for this transaction, for all tenants.
    const together = new SharedWork();
    const messages: (SequencedEvent & {
      readonly lane: (typeof active)[number]["lane"];
      readonly key: string | null;
    })[] = [];
    for (const { sequence, envelope } of events)
      for (const subscription of active) {
        if (together.needsPause) await together.pause();
        if (!selectsEvent(subscription, envelope, together)) continue;
        const { lane, ordering } = subscription;
        messages.push({ lane, sequence, envelope, key: ordering === "fifo" ? envelope.partitionkey : null });
      }
    if (messages.length === 0) return;
    const values = insertMessages.valuesOf({
      tenant: tenant.uuid,
      ids: messages.map(() => decodeId("msg", newId("msg"))),
      subscriptions: messages.map(({ lane }) => lane.subscription),
      events: messages.map(({ envelope }) => decodeId("evt", envelope.id)),
      types: messages.map(({ envelope }) => envelope.type),
      positions: messages.map(({ sequence }) => sequence),
      origins: messages.map(({ lane }) => lane.origin),
      keys: messages.map(({ key }) => key),
    });
    await transaction.defer(insertMessages, values);
    const lanes = [...new Set(messages.flatMap(({ lane, key }) => (key === null ? [lane] : [])))];
    const laneKeys = orderedKeys(messages);
    transaction.afterCommit(() => {
      for (const listener of this.#dueListeners) listener(lanes, laneKeys);
    });
  }

  /** Tells the dispatcher after the commit that the lane's messages are due, or the first ones with these keys. */
  announce(transaction: Transaction, lane: WebhookLane, keys: readonly string[] = []): void {
    transaction.afterCommit(() => {
      for (const listener of this.#dueListeners) listener([lane], keys.length === 0 ? [] : [{ lane, keys }]);
    });
  }

  async ofSubscription(context: RequestContext, subscriptionId: string, first: number): Promise<WebhookMessageType[]> {
    const rows = await this.#database.reader.rows<MessageWithAttemptsRow>(
      messagesOfSubscription,
      tenantOf(context),
      decodeId("whs", subscriptionId),
      first,
    );
    return rows.map((row) =>
      Object.assign(messageView(readMessage(row)), { knownAttempts: (row.attempt_log ?? []).map(attemptView) }),
    );
  }
}

function orderedKeys(messages: readonly { lane: WebhookLane; key: string | null }[]): OrderedKeys[] {
  const keys = new Map<WebhookLane, Set<string>>();
  for (const { lane, key } of messages) if (key !== null) keys.set(lane, (keys.get(lane) ?? new Set()).add(key));
  return [...keys].map(([lane, ofLane]) => ({ lane, keys: [...ofLane] }));
}
