import type { Envelope } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { isTenantEvent } from "../../event-types/event-access/event-access.js";

/** The tenant in whose log an event stands. Its subscribers and webhooks get the event. */
export const logOwnerOf = ({ type, tenantid }: Pick<Envelope, "type" | "tenantid">): string =>
  isTenantEvent(type) ? platformTenantId : tenantid;
