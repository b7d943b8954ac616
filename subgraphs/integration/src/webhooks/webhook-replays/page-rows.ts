import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { isOfProject } from "../webhook-messages/selects-event.js";
import { matchesFilter, SharedWork } from "../webhook-subscriptions/delivery-settings/event-filter.js";
import type { StoredSubscriptionRow } from "../webhook-subscriptions/webhook-subscription.view.js";
import { addMessages, envelopesOf, nextEvents, nextMessages, nextSkipped, reopenMessages } from "./page-statement.js";
import type { ReplayCheckpoint, ReplayPayload, ReplayPlace } from "./replay-record.js";

/** The receiver as it is now. */
export interface ReplayReceiver extends Pick<StoredSubscriptionRow, "ordering" | "project_id" | "filter"> {
  readonly origin: string;
  readonly event_type: string;
}

/** A message, or an event in the log without a message. */
interface ReplayRow extends ReplayPlace {
  readonly message_id: string | null;
  readonly event_id: string;
  readonly selected: boolean;
}

interface PageRequest {
  readonly payload: ReplayPayload;
  /** uuid */
  readonly subscription: string;
  readonly receiver: ReplayReceiver;
  /** uuid of the replay's first run */
  readonly replay: string;
  readonly checkpoint: ReplayCheckpoint;
  readonly room: number;
}

interface ReadPage {
  /** The rows to be sent. */
  readonly taken: readonly ReplayRow[];
  /** How many were selected, with those that the filter refuses. */
  readonly selected: number;
  /** The last place that was looked at; undefined when nothing was left. */
  readonly place: ReplayPlace | undefined;
  readonly more: boolean;
}

/** The rows that one page reads, whether they are selected or not. */
const rowsPerPage = 1000;
/** Filters and projects need the envelopes, which may have 64 KiB each. */
const rowsPerFilteredPage = 100;

/** Whether the subscription takes every event with its type. */
const takesAll = ({ filter, project_id }: ReplayReceiver): boolean => filter === null && project_id === null;

/** Reads the rows after a checkpoint, until as many are selected as there is room for. */
export async function readPage(transaction: Transaction, request: PageRequest): Promise<ReadPage> {
  const { receiver, room } = request;
  const limit = takesAll(receiver) ? rowsPerPage : rowsPerFilteredPage;
  const rows = await readRows(transaction, request, limit);
  const selectedRows: ReplayRow[] = [];
  let lookedAt = 0;
  for (const row of rows) {
    if (row.selected && selectedRows.length === room) break;
    if (row.selected) selectedRows.push(row);
    lookedAt += 1;
  }
  const last = rows[lookedAt - 1];
  return {
    taken: await fitting(transaction, request, selectedRows),
    selected: selectedRows.length,
    place: last && { at: last.at, position: last.position },
    more: lookedAt < rows.length || rows.length === limit,
  };
}

function readRows(
  { execute, tenant }: Transaction,
  { payload, subscription, receiver, replay, checkpoint }: PageRequest,
  limit: number,
): Promise<ReplayRow[]> {
  const { stage, place } = checkpoint;
  const { since, until, states, types, unsent } = payload.selection;
  const { at, position } = place;
  const pageValues = { tenant: tenant.uuid, subscription, position, types, limit };
  if (stage === "skipped") return execute<ReplayRow>(nextSkipped, nextSkipped.valuesOf({ ...pageValues, at, replay }));
  if (!unsent) return execute<ReplayRow>(nextMessages, nextMessages.valuesOf({ ...pageValues, at, until, states }));
  const ownNames = { ownType: receiver.event_type, ownId: payload.subscriptionId };
  return execute<ReplayRow>(nextEvents, nextEvents.valuesOf({ ...pageValues, since, until, states, ...ownNames }));
}

/** The rows whose events match the subscription's present project and filter. */
async function fitting(
  { execute, tenant }: Transaction,
  { receiver, subscription }: PageRequest,
  rows: readonly ReplayRow[],
): Promise<readonly ReplayRow[]> {
  if (takesAll(receiver) || rows.length === 0) return rows;
  const values = [tenant.uuid, rows.map(({ event_id }) => event_id), subscription];
  const rowsOfEvents = await execute<{ event_id: string; envelope: Envelope | null }>(envelopesOf, values);
  const envelopes = new Map(rowsOfEvents.map(({ event_id, envelope }) => [event_id, envelope]));
  const together = new SharedWork();
  const { filter, project_id: projectId } = receiver;
  const fit: ReplayRow[] = [];
  for (const row of rows) {
    if (together.needsPause) await together.pause();
    const envelope = envelopes.get(row.event_id);
    if (envelope == null || !isOfProject(projectId, envelope)) continue;
    if (filter === null || matchesFilter(filter, envelope, together)) fit.push(row);
  }
  return fit;
}

interface Released {
  readonly reopened: number;
  readonly created: number;
  /** The partition keys, in a subscription that keeps the order. */
  readonly keys: readonly string[];
}

/** Makes messages due, and creates those for events that have none. A message that waits already is left as it is. */
export async function releasePage(
  { execute, tenant }: Transaction,
  { subscription, receiver, replay }: Pick<PageRequest, "subscription" | "receiver" | "replay">,
  rows: readonly ReplayRow[],
): Promise<Released> {
  const fifo = receiver.ordering === "fifo";
  const messages = rows.flatMap(({ message_id }) => message_id ?? []);
  const others = rows.flatMap(({ message_id, event_id }) => (message_id === null ? [event_id] : []));
  const release = (statement: typeof addMessages, values: Readonly<Record<string, unknown>>) =>
    execute<{ partition_key: string | null }>(statement, statement.valuesOf(values));
  const target = { tenant: tenant.uuid, origin: receiver.origin, replay, fifo };
  const reopenedRows = messages.length === 0 ? [] : await release(reopenMessages, { ...target, messages });
  const newMessages = others.map(() => decodeId("msg", newId("msg")));
  const createdRows =
    others.length === 0
      ? []
      : await release(addMessages, { ...target, subscription, messages: newMessages, events: others });
  const keys = new Set([...reopenedRows, ...createdRows].flatMap(({ partition_key }) => partition_key ?? []));
  return { reopened: reopenedRows.length, created: createdRows.length, keys: [...keys] };
}
