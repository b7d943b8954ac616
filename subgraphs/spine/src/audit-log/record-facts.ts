import { randomBytes } from "node:crypto";
import { UnreadableMessage } from "@factory/runtime/bus/bus";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { storableText } from "@factory/runtime/input-validation/storable-text";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { type ChainFacts, type PersonalData, personalDigest } from "./chain-record.js";

/** A record that has no place in its chain yet. Its texts are those that PostgreSQL stores. */
export interface NewRecord {
  readonly tenantUuid: string;
  readonly recordUuid: string;
  readonly facts: Omit<ChainFacts, "position">;
  readonly personal: PersonalData;
  readonly salt: Buffer | undefined;
}

const saltBytes = 32;
/** Text bounds. Longer ones would not fit into an index, and a hostile caller's record would be lost. */
const short = 200;
const long = 500;

/** Reads a bus message. Throws UnreadableMessage for one that no chain could hold. */
export function newRecord(message: AuditRecord): NewRecord {
  const [tenantUuid, recordUuid] = [decodeId("ten", message.tenantid), decodeId("aud", message.id)];
  if (tenantUuid === undefined || recordUuid === undefined)
    throw new UnreadableMessage("An audit record has no valid id or tenant");
  const personal: PersonalData = {
    address: text(message.address, short),
    email: text(message.email, long),
    userAgent: text(message.useragent, long),
  };
  const salt = randomBytes(saltBytes);
  const digest = personalDigest(salt, personal);
  const facts = {
    tenantId: message.tenantid,
    recordId: message.id,
    time: time(message.time),
    source: text(message.source, short) ?? "",
    operation: text(message.operation, short) ?? "",
    outcome: text(message.outcome, short) ?? "",
    subject: text(message.subject, long),
    principal: text(message.principal, short),
    principalType: text(message.principaltype, short),
    clientId: text(message.clientid, short),
    agent: text(message.agent, short),
    agentTaskId: text(message.agenttaskid, short),
    approvalId: text(message.approvalid, short),
    traceId: text(message.traceid, short) ?? "",
    code: text(message.code, short),
    status: wholeNumber(message.status),
    count: wholeNumber(message.count),
    firstTime: message.firsttime === undefined ? undefined : time(message.firsttime),
    personalDigest: digest?.toString("hex"),
  };
  return { tenantUuid, recordUuid, facts, personal, salt: digest && salt };
}

const text = (value: string | undefined, most: number) =>
  value === undefined ? undefined : storableText(value.slice(0, most));

const maxInteger = 2_147_483_647;
const wholeNumber = (value: number | undefined) =>
  value === undefined ? undefined : Math.min(Math.max(0, Math.trunc(value)), maxInteger);

function time(value: string): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw new UnreadableMessage("An audit record has no valid time");
  return date.toISOString();
}
