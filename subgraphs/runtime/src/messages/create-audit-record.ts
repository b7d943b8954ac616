import { decodeId, newId } from "../identifiers/wire-id.js";
import { storableText } from "../input-validation/storable-text.js";
import { platformTenantId } from "../tenancy/platform-tenant.js";
import { type AuditedAction, type AuditRecord, auditRecordType, type Origin } from "./audit-record.js";
import type { Cause, Message } from "./envelope.js";

const maxUserAgent = 200;
/** The limit of the texts that a caller can choose. */
const maxText = 320;

/** The log that gets a record, and the cause of the action. */
interface AuditPlace {
  readonly source: string;
  readonly tenantId: string;
  readonly cause: Cause;
}

/** Creates the record of a transaction. The subject of its first event replaces the subject of the action. */
export function transactionRecord(action: AuditedAction, messages: readonly Message[], place: AuditPlace): AuditRecord {
  const subject = messages.find(({ messagekind }) => messagekind === "event")?.subject ?? action.subject;
  return createAuditRecord({ ...action, subject }, place);
}

/** Creates the record of an action in the log of the tenant, with a new ID and the current time. */
export function createAuditRecord(
  { outcome = "Succeeded", operation, email, ...given }: AuditedAction,
  { source, tenantId, cause }: AuditPlace,
): AuditRecord {
  return {
    messagekind: "audit",
    id: newId("aud"),
    type: auditRecordType,
    time: new Date().toISOString(),
    tenantid: tenantId,
    source: `/${source}`,
    operation: bounded(operation),
    outcome,
    ...principalFacts(cause),
    ...definedMembers(given),
    ...(email === undefined ? {} : { email: bounded(email) }),
    ...(isForeign(cause, tenantId) ? {} : originFacts(cause.origin)),
    traceid: cause.trace.traceId,
    partitionkey: tenantId,
  };
}

function principalFacts({ principal, actorId }: Cause): Partial<AuditRecord> {
  if (!principal) return actorId !== undefined && isPrincipalId(actorId) ? { principal: actorId } : {};
  const { subject, principalType, clientId, actors, agentTaskId, approvalId } = principal;
  return definedMembers({
    principal: subject,
    principaltype: principalType,
    clientid: decodeId("cli", clientId) === undefined ? undefined : clientId,
    agent: actors?.[0],
    agenttaskid: agentTaskId === undefined ? undefined : bounded(agentTaskId),
    approvalid: approvalId,
  });
}

const isPrincipalId = (id: string) => decodeId("usr", id) !== undefined || decodeId("cli", id) !== undefined;

/** An administrator of the platform acts on another tenant. That tenant must not learn the address. */
const isForeign = ({ principal }: Cause, tenantId: string) =>
  tenantId !== platformTenantId && principal?.tenantId !== undefined && principal.tenantId !== tenantId;

function originFacts(origin: Origin | undefined): Partial<AuditRecord> {
  const { address, userAgent } = origin ?? {};
  return {
    ...(address ? { address } : {}),
    ...(userAgent ? { useragent: storableText(userAgent.slice(0, maxUserAgent)) } : {}),
  };
}

const bounded = (text: string) => storableText(text.slice(0, maxText));

/** Removes undefined members. */
function definedMembers<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const defined: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) defined[name] = members[name];
  return defined as { [K in keyof T]: Exclude<T[K], undefined> };
}
