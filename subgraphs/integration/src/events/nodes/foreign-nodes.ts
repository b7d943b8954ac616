import { foreignEntity } from "@factory/runtime/graphql/foreign-entity";
import { NodeType } from "@factory/runtime/graphql/node.type";
import { Directive, ObjectType } from "type-graphql";

/** A type of another subgraph that has an opaque id, because callers know its objects by a key. */
function keyedReference(name: string): new () => object {
  @ObjectType(name, { implements: NodeType, simpleResolvers: true })
  @Directive('@key(fields: "id", resolvable: false)')
  class KeyedReference {}
  return KeyedReference;
}

/** Other subgraphs' types of which no event is about an object. */
export const foreignNodes = [
  ...["ConfigEntry", "Edition", "FeatureFlag", "NotificationTemplate"].map(keyedReference),
  foreignEntity("AuditRecord", "recordId"),
  foreignEntity("LibraryVersion", "libraryVersionId"),
  foreignEntity("ProvisioningRun", "runId"),
  foreignEntity("ReportDefinition", "reportDefinitionId"),
  foreignEntity("RoleAssignment", "assignmentId"),
  foreignEntity("ValidationResult", "validationResultId"),
];
