import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { type ApiClientPrincipalType, clientPrincipalTypes, clientStatuses } from "@factory/schema/vocabularies/people";
import { Field, ID, ObjectType } from "type-graphql";
import { grantTypes } from "./grant-types.js";

const OAuthClientStatus = enumType(clientStatuses);

/** The members that a client and a client with its new secret have. */
@ObjectType("OAuthClientMembers", { simpleResolvers: true })
class OAuthClientMembers {
  @Field(() => ID)
  clientId: string;

  @Field()
  name: string;

  @Field(() => [String], { description: "Texts, since names with dots are not GraphQL names." })
  scopes: string[];

  @Field(() => [String], { description: "Texts, since one of them is a URN." })
  @Constraint({ values: grantTypes })
  grantTypes: string[];

  @Field(() => enumType(clientPrincipalTypes))
  principalType: ApiClientPrincipalType;

  @Field(() => [String], {
    description:
      "The addresses to which people return after their sign-in, at most 20. Empty for a client without the grant type authorization_code.",
  })
  redirectUris: string[];

  @Field({ description: "Whether the client belongs to the platform itself." })
  firstParty: boolean;

  @Field({
    description:
      "Whether a platform administrator made the client in this tenant, by createTenantApiClient or through another such client.",
  })
  createdByPlatform: boolean;

  @Field({ description: "Whether the client has neither a secret nor keys." })
  public: boolean;

  @Field(() => [String], {
    description: "The kid of each public key of the client, for a client with keys in place of a secret.",
  })
  keyIds: string[];

  @Field(() => OAuthClientStatus)
  status: keyof typeof OAuthClientStatus;

  @Field(() => ID)
  tenantId: string;

  @Field(() => DateTime)
  createdAt: string;
}

/**
 * A client at the token endpoint. In the graph `OAuthClient` is another thing: a vendor's client that a provider uses.
 */
@ObjectType("ApiClient", {
  implements: NodeType,
  simpleResolvers: true,
  description: "An OAuth client: a program that gets tokens at the token endpoint.",
})
@NodeKey("clientId")
export class OAuthClientType extends OAuthClientMembers {}

@ObjectType("ApiClientSecret", { simpleResolvers: true })
export class OAuthClientSecretType extends OAuthClientMembers {
  @Field(() => String, {
    nullable: true,
    description: "The secret, which is shown in this answer only; null for a client without a secret.",
  })
  clientSecret: string | null;
}

export const OAuthClientConnection = connectionType("ApiClient", () => OAuthClientType, "In the order of creation.");
export type OAuthClientConnection = Connection<OAuthClientType>;
