import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecordType } from "./audit-record.type.js";
import type { ChainFacts, PersonalData } from "./chain-record.js";

/** The columns of `AuditRecordRow`. */
export const auditRecordColumns = `tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
  principal, principal_type, client_id, agent, agent_task_id, approval_id, trace_id, code, status, count, first_at,
  personal_digest, address, email, user_agent, hash`;

/** A row of `audit_records` as PostgreSQL returns it. */
export interface AuditRecordRow {
  tenant_id: string;
  position: string;
  record_id: string;
  recorded_at: Date;
  source: string;
  operation: string;
  outcome: string;
  subject: string | null;
  principal: string | null;
  principal_type: string | null;
  client_id: string | null;
  agent: string | null;
  agent_task_id: string | null;
  approval_id: string | null;
  trace_id: string;
  code: string | null;
  status: number | null;
  count: number | null;
  first_at: Date | null;
  personal_digest: Buffer | null;
  address: string | null;
  email: string | null;
  user_agent: string | null;
  hash: Buffer;
}

/** The members of a row that its hash covers. */
export function rowFacts(row: AuditRecordRow): ChainFacts {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    position: Number(row.position),
    recordId: encodeId("aud", row.record_id),
    time: row.recorded_at.toISOString(),
    source: row.source,
    operation: row.operation,
    outcome: row.outcome,
    subject: row.subject ?? undefined,
    principal: row.principal ?? undefined,
    principalType: row.principal_type ?? undefined,
    clientId: row.client_id ?? undefined,
    agent: row.agent ?? undefined,
    agentTaskId: row.agent_task_id ?? undefined,
    approvalId: row.approval_id ?? undefined,
    traceId: row.trace_id,
    code: row.code ?? undefined,
    status: row.status ?? undefined,
    count: row.count ?? undefined,
    firstTime: row.first_at?.toISOString(),
    personalDigest: row.personal_digest?.toString("hex"),
  };
}

/** The personal data of a row; empty after an erasure. */
export function rowPersonalData(row: Pick<AuditRecordRow, "address" | "email" | "user_agent">): PersonalData {
  return {
    address: row.address ?? undefined,
    email: row.email ?? undefined,
    userAgent: row.user_agent ?? undefined,
  };
}

/** The API view of a row. */
export function auditRecordView(row: AuditRecordRow): AuditRecordType {
  return {
    tenantId: encodeId("ten", row.tenant_id),
    position: Number(row.position),
    recordId: encodeId("aud", row.record_id),
    time: row.recorded_at.toISOString(),
    source: row.source,
    operation: row.operation,
    outcome: row.outcome,
    subject: row.subject,
    principal: row.principal,
    principalType: row.principal_type,
    clientId: row.client_id,
    agent: row.agent,
    agentTaskId: row.agent_task_id,
    approvalId: row.approval_id,
    traceId: row.trace_id,
    code: row.code,
    status: row.status,
    count: row.count,
    firstTime: row.first_at?.toISOString() ?? null,
    address: row.address,
    email: row.email,
    userAgent: row.user_agent,
    personalDigest: row.personal_digest?.toString("hex") ?? null,
    hash: row.hash.toString("hex"),
  };
}
