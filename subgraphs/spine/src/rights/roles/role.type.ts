import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { tenantScopes } from "@factory/schema/scopes";
import { Field, ID, ObjectType } from "type-graphql";

@ObjectType("Role", { implements: NodeType, simpleResolvers: true })
@NodeKey("roleId")
export class RoleType {
  @Field(() => ID)
  roleId: string;

  @Field({ description: "Unique in the tenant, ignoring case." })
  code: string;

  @Field()
  name: string;

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters. Null if the role has none.",
  })
  description: string | null;

  @Field(() => [String], { description: "Texts, since names with dots are not GraphQL names." })
  @Constraint({ values: tenantScopes })
  scopes: string[];

  @Field({ description: "True for a role that the platform maintains and that cannot be changed." })
  isSystem: boolean;

  @Field(() => DateTime)
  createdAt: string;
}

@ObjectType("RoleAssignmentMembers", { simpleResolvers: true })
class RoleAssignmentMembers {
  @Field(() => ID)
  assignmentId: string;

  @Field(() => ID)
  roleId: string;

  @Field()
  roleCode: string;

  @Field(() => ID, { nullable: true, description: "The user that holds the role. Null if a client holds it." })
  userId: string | null;

  @Field(() => ID, { description: "The user or the client that holds the role." })
  principalId: string;

  @Field(() => DateTime)
  assignedAt: string;

  @Field({ description: "The subject of the token that assigned it." })
  assignedBy: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "The time at which the assignment ends. Null if it does not expire.",
  })
  expiresAt: string | null;
}

@ObjectType("RoleAssignment", { implements: NodeType, simpleResolvers: true })
@NodeKey("assignmentId")
export class RoleAssignmentType extends RoleAssignmentMembers {}

@ObjectType("AssignedRole", { simpleResolvers: true })
export class AssignedRoleType extends RoleAssignmentMembers {
  @Field({ description: "False if the principal held the role already." })
  created: boolean;
}

export const RoleConnection = connectionType("Role", () => RoleType, "In the order of creation.");
export type RoleConnection = Connection<RoleType>;

export const RoleAssignmentConnection = connectionType(
  "RoleAssignment",
  () => RoleAssignmentType,
  "In the order of assignment, without expired assignments.",
);
export type RoleAssignmentConnection = Connection<RoleAssignmentType>;
