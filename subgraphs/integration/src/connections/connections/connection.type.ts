import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import type { ConnectionHealth } from "@factory/schema/vocabularies/connections";
import {
  type AuthMode,
  authModes,
  connectionHealths,
  connectionStatuses,
} from "@factory/schema/vocabularies/connections";
import { Field, ID, Int, ObjectType } from "type-graphql";
import type { ConnectionState } from "./connection.states.js";

const ConnectionStatus = enumType(connectionStatuses);

const ConnectionHealthStatus = enumType(connectionHealths);

/** The scopes for reading a connection, through a root field or through another entity. */
export const readConnections = { scopes: ["integration.connections.read"] } as const satisfies AuthRule;

/** The GraphQL type for a connection, which is also the view that the services return. */
@ObjectType("Connection", {
  implements: NodeType,
  simpleResolvers: true,
  description: "An account at a vendor that the platform may use for the tenant.",
})
@NodeKey("connectionId")
export class ConnectionType {
  @Field(() => ID)
  connectionId: string;

  @Field(() => ID)
  tenantId: string;

  @Field(() => String, {
    nullable: true,
    description:
      "The caller's own name for the project that the connection is for. Null for a connection of all projects.",
  })
  projectId: string | null;

  @Field(() => ID)
  providerId: string;

  @Field()
  displayName: string;

  @Field(() => enumType(authModes))
  authMode: AuthMode;

  @Field(() => String, { nullable: true, description: "The reference to the credential, as it was given." })
  credentialRef: string | null;

  @Field(() => JsonObject, { description: "Settings of the provider. All values are strings." })
  configuration: Record<string, string>;

  @Field(() => ConnectionStatus)
  status: ConnectionState;

  @Field(() => String, { nullable: true, description: "The reason of the last change of the status." })
  statusReason: string | null;

  @Field(() => ConnectionHealthStatus)
  health: ConnectionHealth;

  @Field(() => String, { nullable: true, description: "Why the health is what it is. Null until it has changed once." })
  healthReason: string | null;

  @Field(() => ID, { nullable: true, description: "The run that is the evidence of the health." })
  healthRunId: string | null;

  @Field(() => DateTime, { nullable: true, description: "Null until a run has checked the connection." })
  lastCheckedAt: string | null;

  @Field(() => ID, { nullable: true, description: "The newest run of the connection." })
  lastRunId: string | null;

  @Field(() => DateTime)
  establishedAt: string;

  @Field({ description: "The trace of the request that established the connection." })
  traceId: string;

  @Field(() => Int, { description: "The entity tag. It grows with every change of the connection." })
  version: number;

  @Field(() => String, {
    nullable: true,
    description:
      "The page on which a person allows the platform to use the account (OAuth2AuthorizationCode). Only the first response to createConnection and reauthorizeConnection contains it; a replayed response does not.",
  })
  authorizationUrl: string | null;
}

export const ConnectionConnection = connectionType("Connection", () => ConnectionType, "By displayName.");
export type ConnectionConnection = Connection<ConnectionType>;
