import { decodeId, newId } from "../identifiers/wire-id.js";
import { storableText } from "../input-validation/storable-text.js";
import { platformTenantId } from "../tenancy/platform-tenant.js";
import { type AuditedAction, type AuditRecord, auditRecordType, type Origin } from "./audit-record.js";
import type { Cause, Message } from "./envelope.js";

const maxUserAgent = 200;
/** The limit for texts that a caller can choose. */
const maxText = 320;

/** The log that gets a record, and the action's cause. */
interface AuditPlace {
  readonly source: string;
  readonly tenantId: string;
  readonly cause: Cause;
}

/** Creates a transaction's record. Its first event's subject replaces the action's subject. */
export function transactionRecord(action: AuditedAction, messages: readonly Message[], place: AuditPlace): AuditRecord {
  const subject = messages.find(({ messagekind }) => messagekind === "event")?.subject ?? action.subject;
  return createAuditRecord({ ...action, subject }, place);
}

/** Creates an action's record in the tenant's log, with a new ID and the current time. */
export function createAuditRecord(
  { outcome = "Succeeded", operation, email, ...otherFacts }: AuditedAction,
  { source, tenantId, cause }: AuditPlace,
): AuditRecord {
  return {
    messagekind: "audit",
    id: newId("aud"),
    type: auditRecordType,
    time: new Date().toISOString(),
    tenantid: tenantId,
    source: `/${source}`,
    operation: boundedText(operation),
    outcome,
    ...principalFacts(cause),
    ...definedMembers(otherFacts),
    ...(email === undefined ? {} : { email: boundedText(email) }),
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
    agenttaskid: agentTaskId === undefined ? undefined : boundedText(agentTaskId),
    approvalid: approvalId,
  });
}

const isPrincipalId = (id: string) => decodeId("usr", id) !== undefined || decodeId("cli", id) !== undefined;

/** A platform administrator acts on another tenant. That tenant must not learn the address. */
const isForeign = ({ principal }: Cause, tenantId: string) =>
  tenantId !== platformTenantId && principal?.tenantId !== undefined && principal.tenantId !== tenantId;

function originFacts(origin: Origin | undefined): Partial<AuditRecord> {
  const { address, userAgent } = origin ?? {};
  return {
    ...(address ? { address } : {}),
    ...(userAgent ? { useragent: storableText(userAgent.slice(0, maxUserAgent)) } : {}),
  };
}

const boundedText = (text: string) => storableText(text.slice(0, maxText));

/** Removes undefined members. */
function definedMembers<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const presentMembers: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) presentMembers[name] = members[name];
  return presentMembers as { [K in keyof T]: Exclude<T[K], undefined> };
}
