import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import {
  byText,
  type Connection,
  connectionOf,
  type PageRequest,
  pageOf,
  pageReach,
} from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import { type EventType, eventTypes, schemaVersion } from "@factory/schema/event-names";
import { eventDescription, eventSchemas, schemaPathOf } from "@factory/schema/event-schemas";
import { exampleWebhookBody } from "@factory/schema/example-message";
import { isTenantEvent, mayRead, readScopesOf } from "../event-access/event-access.js";
import type { EventTypeFilterInput } from "./event-type.input.js";
import type { EventTypeType } from "./event-type.type.js";

type Described = Omit<EventTypeType, "readable" | "type"> & { readonly type: EventType };

/** The event types that this release emits. A type without a schema is reserved for a later release. */
const describedTypes = (): readonly Described[] =>
  [...eventSchemas.keys()].sort().map((type) => ({
    type,
    description: eventDescription(type),
    source: eventTypes[type].source,
    readScopes: readScopesOf(type),
    platformAdministratorsOnly: isTenantEvent(type),
    schemaUrl: schemaPathOf(type),
    schemaVersion,
    example: exampleWebhookBody(type) ?? {},
  }));

/** Lists the event types in pages. It reads nothing from the database. */
export class EventTypeService {
  readonly #cursors: CursorSeal;
  /** Made for the first list, since the examples of all types cost a start 50 ms. */
  #described: readonly Described[] | undefined;

  constructor(cursors: CursorSeal) {
    this.#cursors = cursors;
  }

  list(context: RequestContext, request: PageRequest<EventTypeFilterInput>): Connection<EventTypeType> {
    const principal = principalOf(context);
    const { source = null, readable = null } = request.filter ?? {};
    const scope = { list: "eventTypes", tenantId: principal.tenantId ?? null, source, readable };
    const reach = pageReach(request);
    const cursorType = reach.cursor === undefined ? undefined : this.#cursors.open(scope, reach.cursor);
    this.#described ??= describedTypes();
    const listedTypes = this.#described
      .map((description) => ({ ...description, readable: mayRead(description.type, principal) }))
      .filter((item) => source === null || item.source === source)
      .filter((item) => readable === null || item.readable === readable);
    const page = pageOf(
      listedTypes,
      reach,
      byText(({ type }) => type, cursorType),
    );
    return connectionOf(page, reach, ({ type }) => this.#cursors.seal(scope, type));
  }
}
