import { DateTime } from "@factory/runtime/subgraph/scalars";
import { Directive, Field, ID, ObjectType, registerEnumType } from "type-graphql";
import type { ProviderState } from "./provider.states.js";

export const ProviderStatus = {
  Registered: "Registered",
  Deprecated: "Deprecated",
  Disabled: "Disabled",
  Retired: "Retired",
} as const satisfies { [State in ProviderState]: State };
registerEnumType(ProviderStatus, { name: "ProviderStatus" });

@ObjectType("Provider", { simpleResolvers: true })
@Directive('@key(fields: "providerId")')
export class ProviderType {
  @Field(() => ID)
  providerId: string;

  @Field()
  key: string;

  @Field()
  displayName: string;

  @Field()
  category: string;

  @Field()
  authModel: string;

  @Field(() => String, { nullable: true })
  apiClient: string | null;

  @Field(() => ID)
  apiClientId: string;

  @Field(() => [String])
  capabilities: string[];

  @Field(() => String, { nullable: true })
  baseUrl: string | null;

  @Field(() => ProviderStatus)
  status: ProviderState;

  @Field(() => DateTime)
  registeredAt: string;
}
