/** The type that every audit record has in the outbox and on the bus. */
export const auditRecordType = "AuditRecord";

/** One line in a tenant's audit log: who did what, on which subject, from where, with which outcome. */
export interface AuditRecord {
  messagekind: "audit";
  /** `aud_…`; also the bus message's ID. */
  id: string;
  type: typeof auditRecordType;
  /** RFC 3339, UTC. For refusals that are counted together: when the last one came. */
  time: string;
  /** The tenant whose log gets the record; the platform tenant where none is known. */
  tenantid: string;
  /** `/catalog`, `/integration`, `/spine`, or `/gateway` for refusals at the edge. */
  source: string;
  /** The root field, a plain HTTP endpoint's `METHOD /path`, or a command's name. */
  operation: string;
  outcome: "Succeeded" | "Refused";
  /** `<resource>/<id>` */
  subject?: string;
  /** Absent for an anonymous caller. */
  principal?: string;
  principaltype?: "User" | "Service" | "Agent";
  clientid?: string;
  /** The agent that acted for the principal. */
  agent?: string;
  agenttaskid?: string;
  approvalid?: string;
  /** The client's address. Personal: it is not hashed. */
  address?: string;
  /** Personal; present only where it is the fact, for example in a failed sign-in. */
  email?: string;
  /** Personal; at most 200 characters. */
  useragent?: string;
  traceid: string;
  /** A refusal's code and HTTP status. */
  code?: string;
  status?: number;
  /** How many equal refusals this record counts together, and when the first one came. */
  count?: number;
  firsttime?: string;
  /** The tenant, so that a tenant's records keep their order. */
  partitionkey: string;
}

/** Where a request came from. */
export interface Origin {
  /** The client's address in the form that rate limits use. */
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** The facts that a transaction or a refusal adds to its cause for the audit log. */
export interface AuditedAction
  extends Pick<AuditRecord, "operation">,
    Partial<
      Pick<
        AuditRecord,
        "principal" | "principaltype" | "clientid" | "agent" | "agenttaskid" | "email" | "code" | "status"
      >
    > {
  readonly subject?: string | undefined;
  /** Absent: Succeeded. */
  readonly outcome?: AuditRecord["outcome"];
}
