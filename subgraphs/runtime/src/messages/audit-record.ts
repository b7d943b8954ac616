/** The type of every audit record in the outbox and on the bus. */
export const auditRecordType = "AuditRecord";

/** One line of the audit log of a tenant: who did what, on which subject, from where, with which outcome. */
export interface AuditRecord {
  messagekind: "audit";
  /** `aud_…`; also the ID of the bus message. */
  id: string;
  type: typeof auditRecordType;
  /** RFC 3339, UTC. For refusals that are counted together: the time of the last one. */
  time: string;
  /** The tenant whose log gets the record; the platform tenant where none is known. */
  tenantid: string;
  /** `/catalog`, `/integration`, `/spine`, or `/gateway` for refusals at the edge. */
  source: string;
  /** The root field, `METHOD /path` of a plain HTTP endpoint, or the name of a command. */
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
  /** The address of the client. Personal: it is not part of the hash. */
  address?: string;
  /** Personal; present only where it is the fact, for example in a failed sign-in. */
  email?: string;
  /** Personal; at most 200 characters. */
  useragent?: string;
  traceid: string;
  /** The code and the HTTP status of a refusal. */
  code?: string;
  status?: number;
  /** The number of equal refusals that this record counts together, and the time of the first one. */
  count?: number;
  firsttime?: string;
  /** The tenant, so that the records of a tenant keep their order. */
  partitionkey: string;
}

/** Where a request came from. */
export interface Origin {
  /** The address of the client in the form that rate limits use. */
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
