import { createHash, createHmac } from "node:crypto";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";

/**
 * The record members that its hash covers. Members without a value are absent. `position` and the other numbers are
 * whole numbers; times are RFC 3339 in UTC with milliseconds; `personalDigest` is hexadecimal.
 */
export interface ChainFacts {
  tenantId: string;
  position: number;
  recordId: string;
  time: string;
  source: string;
  operation: string;
  outcome: string;
  subject?: string | undefined;
  principal?: string | undefined;
  principalType?: string | undefined;
  clientId?: string | undefined;
  agent?: string | undefined;
  agentTaskId?: string | undefined;
  approvalId?: string | undefined;
  traceId: string;
  code?: string | undefined;
  status?: number | undefined;
  count?: number | undefined;
  firstTime?: string | undefined;
  personalDigest?: string | undefined;
}

/** A record's personal data, which its hash covers only through their digest. */
export interface PersonalData {
  address?: string | undefined;
  email?: string | undefined;
  userAgent?: string | undefined;
}

/** The hash before the first record of a chain: 32 zero bytes. */
export const genesisHash: Buffer = Buffer.alloc(32);

/**
 * A record's hash:
 *
 *     hash(0) = 32 zero bytes
 *     hash(n) = SHA-256(hash(n - 1) || canonical(record n))
 *
 * `||` joins bytes, and `canonical` is the RFC 8785 text (JSON Canonicalization Scheme, UTF-8) for the object
 * `ChainFacts`. All its members are `AuditRecord` fields in GraphQL, so an auditor can compute the chain anew from the
 * API. After retention the chain starts at a sealed position p, and the hash in that seal takes the place of hash(p).
 */
export function chainHash(previous: Buffer, facts: ChainFacts): Buffer {
  return createHash("sha256").update(previous).update(canonicalJson(facts)).digest();
}

/**
 * Binds personal data to a record without revealing it: HMAC-SHA-256, keyed with the record's random salt (32 bytes),
 * over the canonical JSON of `PersonalData`. Undefined for a record without personal data. After the salt is erased,
 * the digest tells nothing about the data, and the record's hash is still valid.
 */
export function personalDigest(salt: Buffer, personal: PersonalData): Buffer | undefined {
  const text = canonicalJson(personal);
  return text === "{}" ? undefined : createHmac("sha256", salt).update(text).digest();
}
