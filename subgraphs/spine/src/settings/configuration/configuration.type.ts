import { NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, Json, JsonObject } from "@factory/runtime/graphql/scalars";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { Directive, Field, ID, Int, ObjectType, registerEnumType } from "type-graphql";

export const ConfigurationChange = { Set: "Set", Restored: "Restored", Deleted: "Deleted" } as const;
export type ConfigurationChange = keyof typeof ConfigurationChange;
registerEnumType(ConfigurationChange, { name: "ConfigurationChange" });

const valueDescription = "Any JSON value. The value of a secret entry is always shown as ********.";

/** The members that an entry and the answer to its change have. */
@ObjectType("ConfigEntryMembers", { simpleResolvers: true })
class ConfigEntryMembers {
  @Field()
  key: string;

  @Field(() => Json, { nullable: true, description: valueDescription })
  value: unknown;

  @Field()
  isSecret: boolean;

  @Field({ description: "True for limits of the platform, which the tenant cannot change." })
  readOnly: boolean;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => Int, { description: "Ascends with each change of the entry. It is the entity tag of the REST API." })
  version: number;

  @Field(() => DateTime)
  createdAt: string;

  @Field(() => DateTime)
  updatedAt: string;

  @Field({ description: "The user or client that changed the entry last." })
  updatedBy: string;
}

@ObjectType("ConfigEntry", {
  implements: NodeType,
  simpleResolvers: true,
  description: "A configuration entry of the tenant, or a limit that the platform has set for it (limits.*).",
})
@Directive('@key(fields: "id")')
export class ConfigEntryType extends ConfigEntryMembers {}

@ObjectType("ChangedConfigEntry", { simpleResolvers: true })
export class ChangedConfigEntryType extends ConfigEntryMembers {
  @Field({ description: "False if the entry existed already." })
  created: boolean;

  @Field(() => ID, {
    nullable: true,
    description:
      "The approval that the change waits for, because the new value of a protected setting is weaker. The entry then shows the value in force. Null: the change has taken effect.",
  })
  approvalId: string | null;
}

@ObjectType("ConfigVersion", {
  simpleResolvers: true,
  description: "One version of a configuration entry, with the principal that made the change.",
})
export class ConfigVersionType {
  @Field(() => Int)
  version: number;

  @Field(() => ConfigurationChange)
  change: ConfigurationChange;

  @Field(() => Json, { nullable: true, description: `${valueDescription} Null for a deletion.` })
  value: unknown;

  @Field()
  isSecret: boolean;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => DateTime)
  changedAt: string;

  @Field({ description: "The user or client that made the change." })
  changedBy: string;
}

const WeakerValue = {
  Free: "Free",
  RecentSignIn: "RecentSignIn",
  SecondPerson: "SecondPerson",
} as const;
type WeakerValue = keyof typeof WeakerValue;
registerEnumType(WeakerValue, {
  name: "WeakerValue",
  valuesConfig: {
    Free: { description: "Nothing more than every other value." },
    RecentSignIn: { description: "A person who signed in at most 15 minutes ago." },
    SecondPerson: { description: "A person who signed in at most 15 minutes ago, and the approval of another person." },
  },
});

@ObjectType("KnownSetting", {
  simpleResolvers: true,
  description: "A configuration key on which the platform acts, with all that a form for it needs.",
})
export class KnownSettingType {
  @Field()
  key: string;

  @Field()
  description: string;

  @Field(() => JsonObject, { description: "The JSON Schema (draft 2020-12) of the value." })
  schema: Record<string, unknown>;

  @Field(() => Json, { nullable: true, description: "The value of a tenant that has no entry of this key." })
  default: unknown;

  @Field({ description: "Tenant: set by a configuration entry. Platform: set by setTenantLimits." })
  setBy: string;

  @Field(() => [String], { description: "The types of principals that may change it: User, Service, Agent." })
  changedBy: string[];

  @Field(() => [String], { description: "The scopes that a change needs, beside config.manage." })
  requiredScopes: string[];

  @Field(() => WeakerValue, { description: "The needs of a value that protects less than the present one." })
  weakerValue: WeakerValue;

  @Field(() => Json, { nullable: true, description: "The value that holds for the tenant now." })
  value: unknown;

  @Field({ description: "Whether the tenant has an entry of this key." })
  isSet: boolean;
}

export const ConfigEntryConnection = connectionType("ConfigEntry", () => ConfigEntryType, "In the order of keys.");
export type ConfigEntryConnection = Connection<ConfigEntryType>;

export const ConfigVersionConnection = connectionType(
  "ConfigVersion",
  () => ConfigVersionType,
  "The newest version first.",
);
export type ConfigVersionConnection = Connection<ConfigVersionType>;
