import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { type ProviderCategory, providerCategories } from "@factory/schema/vocabularies/providers";
import { Field, ID, ObjectType } from "type-graphql";
import type { ProviderState } from "./provider.states.js";
import { capabilitiesDescription, ProviderStatus, ProviderType } from "./provider.type.js";

@ObjectType("VendorApiClient", {
  implements: NodeType,
  simpleResolvers: true,
  description: "The means to call a provider, with an id of its own. It is not a client of the API of this platform.",
})
@NodeKey("apiClientId")
export class ApiClientType {
  @Field(() => ID)
  apiClientId: string;

  @Field()
  key: string;

  @Field()
  displayName: string;

  @Field(() => enumType(providerCategories))
  category: ProviderCategory;

  @Field(() => [String], { description: capabilitiesDescription })
  capabilities: string[];

  @Field(() => ProviderStatus)
  status: ProviderState;

  @Field(() => ProviderType)
  provider: ProviderType;
}

export function apiClientView(provider: ProviderType): ApiClientType {
  const { apiClientId, key, displayName, category, capabilities, status } = provider;
  return { apiClientId, key, displayName, category, capabilities, status, provider };
}
