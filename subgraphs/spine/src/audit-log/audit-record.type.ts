import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { auditSources } from "@factory/schema/vocabularies/events";
import { type AuditOutcome, auditOutcomes } from "@factory/schema/vocabularies/governance";
import { Field, Float, ID, Int, ObjectType } from "type-graphql";

const text = () => String;
const optional = (description: string) => ({ nullable: true, description }) as const;

@ObjectType("AuditRecord", {
  implements: NodeType,
  simpleResolvers: true,
  description: "One line of the audit log: who did what, on which subject, from where, with which outcome.",
})
@NodeKey("recordId")
export class AuditRecordType {
  @Field(() => ID)
  recordId: string;

  @Field(() => ID)
  tenantId: string;

  @Field(() => Float, { description: "The place in the chain of the tenant, from 1, without gaps: a whole number." })
  position: number;

  @Field(() => DateTime, { description: "For refusals that are counted together, the time of the last one." })
  time: string;

  @Field({
    description: "The part of the platform that wrote the record. A text, since a path is not a GraphQL name.",
  })
  @Constraint({ values: auditSources })
  source: string;

  @Field({ description: "A root field of GraphQL, METHOD /path of a plain endpoint, or the name of a command." })
  operation: string;

  @Field(() => enumType(auditOutcomes))
  outcome: AuditOutcome;

  @Field(text, optional("`<resource>/<id>`"))
  subject: string | null;

  @Field(text, optional("The principal that acted; null for an anonymous caller."))
  principal: string | null;

  @Field(text, optional("User, Service or Agent. A text, since the log shows what was recorded."))
  principalType: string | null;

  @Field(
    text,
    optional("The OAuth client through which the caller acted. Null if the record has none, for example for a job."),
  )
  clientId: string | null;

  @Field(text, optional("The agent that acted for the principal."))
  agent: string | null;

  @Field(text, optional("The task for which the agent's token was issued. Null without a task."))
  agentTaskId: string | null;

  @Field(text, optional("The approval that gave the caller its publishing scopes. Null without one."))
  approvalId: string | null;

  @Field({ description: "The trace of the request; the operator finds its log lines by it." })
  traceId: string;

  @Field(text, optional("The code of a refusal. A text, since a release may add codes."))
  code: string | null;

  @Field(() => Int, optional("The HTTP status of a refusal."))
  status: number | null;

  @Field(() => Int, optional("How many equal refusals this record counts together."))
  count: number | null;

  @Field(() => DateTime, optional("The time of the first of these refusals."))
  firstTime: string | null;

  @Field(text, optional("The network address of the caller. Erased when the person is deleted."))
  address: string | null;

  @Field(text, optional("The e-mail address of a sign-in that failed. Erased when the person is deleted."))
  email: string | null;

  @Field(text, optional("Erased when the person is deleted."))
  userAgent: string | null;

  @Field(text, optional("Binds address, e-mail and user agent to the hash without revealing them; hexadecimal."))
  personalDigest: string | null;

  @Field({ description: "The SHA-256 of the hash before and the canonical JSON of this record; hexadecimal." })
  hash: string;
}

export const AuditRecordConnection = connectionType(
  "AuditRecord",
  () => AuditRecordType,
  "The newest record comes first.",
);
export type AuditRecordConnection = Connection<AuditRecordType>;
