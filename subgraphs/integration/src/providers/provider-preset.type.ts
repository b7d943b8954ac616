import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Field, ObjectType } from "type-graphql";
import type { ProviderDriver } from "./provider-driver.js";
import type { ProviderPreset } from "./provider-presets.js";

@ObjectType("ProviderPreset", {
  simpleResolvers: true,
  description: "The knowledge of the platform about a vendor. A provider uses it by its key or its preset.",
})
export class ProviderPresetType implements ProviderPreset {
  @Field()
  name: string;

  @Field()
  displayName: string;

  @Field(() => String)
  category: ProviderPreset["category"];

  @Field(() => String)
  authModel: ProviderPreset["authModel"];

  @Field()
  apiClient: string;

  @Field(() => [String])
  capabilities: readonly string[];

  @Field(() => String, { nullable: true })
  baseUrl: string | null;

  @Field(() => JsonObject)
  driver: ProviderDriver;
}
