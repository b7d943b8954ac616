import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { ChainedRecord } from "./audit-record.entity.js";
import type { AuditRecordType } from "./audit-record.type.js";
import type { ChainFacts, PersonalData } from "./chain-record.js";

/** All members but the salt, which no caller sees. */
const shownMembers = [
  "tenantId",
  "position",
  "recordId",
  "recordedAt",
  "source",
  "operation",
  "outcome",
  "subject",
  "principal",
  "principalType",
  "clientId",
  "agent",
  "agentTaskId",
  "approvalId",
  "traceId",
  "code",
  "status",
  "count",
  "firstAt",
  "personalDigest",
  "address",
  "email",
  "userAgent",
  "hash",
] as const;

type Shown = (typeof shownMembers)[number];
type ShownRecord = RecordOf<ChainedRecord, Shown>;

export type AuditRecordRow = RowOf<ChainedRecord, Shown>;

export const auditRecordColumns = columnsOf(ChainedRecord, shownMembers);
export const readAuditRecord = rowReader(ChainedRecord);

/** The record members that its hash covers. */
export function recordFacts(record: ShownRecord): ChainFacts {
  return {
    tenantId: record.tenantId,
    position: Number(record.position),
    recordId: record.recordId,
    time: record.recordedAt.toISOString(),
    source: record.source,
    operation: record.operation,
    outcome: record.outcome,
    subject: record.subject ?? undefined,
    principal: record.principal ?? undefined,
    principalType: record.principalType ?? undefined,
    clientId: record.clientId ?? undefined,
    agent: record.agent ?? undefined,
    agentTaskId: record.agentTaskId ?? undefined,
    approvalId: record.approvalId ?? undefined,
    traceId: record.traceId,
    code: record.code ?? undefined,
    status: record.status ?? undefined,
    count: record.count ?? undefined,
    firstTime: record.firstAt?.toISOString(),
    personalDigest: record.personalDigest?.toString("hex"),
  };
}

/** A record's personal data; empty after an erasure. */
export const recordPersonalData = ({ address, email, userAgent }: ShownRecord): PersonalData => ({
  address: address ?? undefined,
  email: email ?? undefined,
  userAgent: userAgent ?? undefined,
});

export function auditRecordView(record: ShownRecord): AuditRecordType {
  const { position, recordedAt, firstAt, personalDigest, hash, ...facts } = record;
  return {
    ...facts,
    position: Number(position),
    time: recordedAt.toISOString(),
    firstTime: firstAt?.toISOString() ?? null,
    personalDigest: personalDigest?.toString("hex") ?? null,
    hash: hash.toString("hex"),
  };
}
