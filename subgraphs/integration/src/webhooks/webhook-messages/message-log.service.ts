import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { Connection, PageRequest } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { mayRead } from "../../event-types/event-access/event-access.js";
import type { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import { attemptLists, attemptsOfMessage, listOfState } from "./message-lists.js";
import { sentEvent } from "./sent-event-statement.js";
import { webhookBody } from "./webhook-body.js";
import type { WebhookAttemptFilterInput, WebhookMessageFilterInput } from "./webhook-message.input.js";
import { attemptOutcomes, type WebhookMessageState, webhookMessageStates } from "./webhook-message.states.js";
import type { WebhookAttemptType, WebhookMessageType } from "./webhook-message.type.js";
import {
  type AttemptRow,
  attemptColumns,
  attemptView,
  type MessageRow,
  messageColumns,
  messageView,
  readMessage,
} from "./webhook-message.view.js";

const messageById = keyStatement(
  "webhook_message_by_id",
  `select ${messageColumns} from webhook_messages where tenant_id = scope.tenant and message_id = $2`,
);

const attemptById = keyStatement(
  "webhook_attempt_by_id",
  `select ${attemptColumns} from webhook_attempts where tenant_id = scope.tenant and attempt_id = $2`,
);

const states = Object.keys(webhookMessageStates) as WebhookMessageState[];
const newestAttempts = 100;

interface Parts {
  readonly database: Database;
  readonly cursors: CursorSeal;
  readonly subscriptions: WebhookSubscriptionService;
}

/** Reads what was sent to webhook subscriptions: messages and their attempts, in pages. */
export class MessageLogService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async find(context: RequestContext, messageId: string): Promise<WebhookMessageType | undefined> {
    const uuid = decodeId("msg", messageId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<MessageRow>(messageById, tenantOf(context), uuid);
    return row && messageView(readMessage(row));
  }

  async findAttempt(context: RequestContext, attemptId: string): Promise<WebhookAttemptType | undefined> {
    const uuid = decodeId("att", attemptId);
    if (uuid === undefined) return undefined;
    const row = await this.#parts.database.reader.row<AttemptRow>(attemptById, tenantOf(context), uuid);
    return row && attemptView(row);
  }

  /** Throws WEBHOOK_MESSAGE_NOT_FOUND. */
  async message(context: RequestContext, messageId: string): Promise<WebhookMessageType> {
    const message = await this.find(context, messageId);
    if (!message) throw unknownMessage();
    return message;
  }

  /** A subscription's messages, the newest first. */
  async messages(
    context: RequestContext,
    subscriptionId: string,
    request: PageRequest<WebhookMessageFilterInput>,
  ): Promise<Connection<WebhookMessageType>> {
    const { database, cursors, subscriptions } = this.#parts;
    const state = checked(states, request.filter?.status, "/filter/status");
    await subscriptions.get(context, subscriptionId);
    const tenant = tenantOf(context);
    const scope = { tenantId: tenant.tenantId, subscriptionId, state };
    const parameters = { subscription: decodeId("whs", subscriptionId), state };
    const page = listOfState(state).page(cursors, scope, request, parameters);
    const rows = await database.reader.rows<MessageRow>(page.statement, tenant, ...page.values);
    return page.connection(
      rows.map((row) => Object.assign(messageView(readMessage(row)), { createdAtText: row.created_at_text })),
    );
  }

  /** The attempts for all messages to a subscription, the newest first. */
  async attempts(
    context: RequestContext,
    subscriptionId: string,
    request: PageRequest<WebhookAttemptFilterInput>,
  ): Promise<Connection<WebhookAttemptType>> {
    const { database, cursors, subscriptions } = this.#parts;
    const outcome = checked(attemptOutcomes, request.filter?.outcome, "/filter/outcome");
    await subscriptions.get(context, subscriptionId);
    const tenant = tenantOf(context);
    const scope = { tenantId: tenant.tenantId, subscriptionId, outcome };
    const parameters = { subscription: decodeId("whs", subscriptionId) };
    const page = attemptLists[outcome ?? "all"].page(cursors, scope, request, parameters);
    const rows = await database.reader.rows<AttemptRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map(attemptView));
  }

  /** A message's attempts, the newest first. */
  async attemptsOf(
    context: RequestContext,
    messageId: string,
    request: PageRequest<unknown>,
  ): Promise<Connection<WebhookAttemptType>> {
    await this.message(context, messageId);
    return this.#attemptsOf(context, messageId, request);
  }

  /** The newest attempts for a message that was read before, oldest first. */
  async newestAttempts(context: RequestContext, messageId: string): Promise<WebhookAttemptType[]> {
    const { items } = await this.#attemptsOf(context, messageId, { first: newestAttempts });
    return items.reverse();
  }

  /** The request body for a message; null without the right to read its event, and when the event is gone. */
  async body(context: RequestContext, messageId: string): Promise<Record<string, unknown> | null> {
    const row = await this.#parts.database.reader.row<{ envelope: Envelope | null; position: string }>(
      sentEvent,
      tenantOf(context),
      decodeId("msg", messageId),
    );
    if (!row?.envelope || !mayRead(row.envelope.type, principalOf(context))) return null;
    return webhookBody(row.envelope, row.position);
  }

  async #attemptsOf(
    context: RequestContext,
    messageId: string,
    request: PageRequest<unknown>,
  ): Promise<Connection<WebhookAttemptType>> {
    const { database, cursors } = this.#parts;
    const tenant = tenantOf(context);
    const scope = { tenantId: tenant.tenantId, messageId };
    const page = attemptsOfMessage.page(cursors, scope, request, { message: decodeId("msg", messageId) });
    const rows = await database.reader.rows<AttemptRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map(attemptView));
  }
}

function checked<V extends string>(values: readonly V[], text: string | null | undefined, pointer: string): V | null {
  if (text == null) return null;
  const matchingValue = values.find((value) => value === text);
  if (matchingValue === undefined) throw invalidEnumValue([{ pointer, allowed: values }]);
  return matchingValue;
}

/** The refusal for an ID that the tenant does not have, or for a message whose retention has ended. */
export const unknownMessage = () =>
  new DomainError("WEBHOOK_MESSAGE_NOT_FOUND", { detail: "The webhook message does not exist in this tenant." });
