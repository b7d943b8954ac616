import type { AuthRule } from "@factory/runtime/graphql/auth";
import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { type AuthModel, authModels } from "@factory/schema/vocabularies/connections";
import { type ProviderCategory, providerCategories, providerStatuses } from "@factory/schema/vocabularies/providers";
import { Field, ID, ObjectType } from "type-graphql";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import type { ProviderState } from "./provider.states.js";
import type { ProviderPreset } from "./provider-presets.js";

export const ProviderStatus = enumType(providerStatuses);

/** The scopes for reading a provider or its API client, through a root field or through another entity. */
export const readProviders = { scopes: ["integration.providers.read"] } as const satisfies AuthRule;

/** The description for the field `capabilities`, in providers and API clients. */
export const capabilitiesDescription =
  "At most 100 names of the form <area>.<action> in lower case, for example payments.charge. A command, a model call and a tool call each need their own.";

/** The GraphQL type for a provider, which is also the view that the services return. */
@ObjectType("Provider", { implements: NodeType, simpleResolvers: true })
@NodeKey("providerId")
export class ProviderType {
  @Field(() => ID)
  providerId: string;

  @Field()
  key: string;

  @Field()
  displayName: string;

  @Field(() => enumType(providerCategories))
  category: ProviderCategory;

  @Field(() => enumType(authModels))
  authModel: AuthModel;

  @Field(() => String, {
    nullable: true,
    description:
      "The name of the client implementation, for example http-json. Null where none was given and the preset has none.",
  })
  apiClient: string | null;

  @Field(() => ID)
  apiClientId: string;

  @Field(() => [String], { description: capabilitiesDescription })
  capabilities: string[];

  @Field(() => String, {
    nullable: true,
    description:
      "The URL before the path of each call. A {name} in it stands for a setting of the connection. Null where none was given and the preset has none.",
  })
  baseUrl: string | null;

  @Field(() => String, { nullable: true, description: "The name of the preset that the provider uses." })
  preset: string | null;

  @Field(() => JsonObject, {
    description:
      "How the vendor is called and its deliveries are read: the preset's driver and the members given for it.",
  })
  driver: ProviderDriver;

  @Field(() => ProviderStatus)
  status: ProviderState;

  @Field(() => String, { nullable: true, description: "The reason that was given for the present status." })
  statusReason: string | null;

  @Field(() => DateTime)
  registeredAt: string;
}

export const ProviderConnection = connectionType("Provider", () => ProviderType, "By key.");
export type ProviderConnection = Connection<ProviderType>;

@ObjectType("ProviderPreset", {
  simpleResolvers: true,
  description: "The knowledge of the platform about a vendor. A provider uses it by its key or its preset.",
})
export class ProviderPresetType implements ProviderPreset {
  @Field({ description: "The value of `preset` of a provider, and the key of a provider that uses it by default." })
  name: string;

  @Field({ description: "The name of the vendor." })
  displayName: string;

  @Field(() => enumType(providerCategories))
  category: ProviderCategory;

  @Field(() => enumType(authModels))
  authModel: AuthModel;

  @Field()
  apiClient: string;

  @Field(() => [String], {
    description:
      "The capabilities of a provider that uses the preset and gives none itself, for example payments.charge.",
  })
  capabilities: readonly string[];

  @Field(() => String, {
    nullable: true,
    description:
      "The base URL of a provider that uses the preset and gives none itself. Null where the platform knows none.",
  })
  baseUrl: string | null;

  @Field(() => JsonObject, {
    description:
      "How the vendor is called and its deliveries are read, with members as in ProviderDriverInput. A member that a provider gives replaces the whole member.",
  })
  driver: ProviderDriver;
}

export const ProviderPresetConnection = connectionType(
  "ProviderPreset",
  () => ProviderPresetType,
  "In alphabetical order.",
);
export type ProviderPresetConnection = Connection<ProviderPreset>;
