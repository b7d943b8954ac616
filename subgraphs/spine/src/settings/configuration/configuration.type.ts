import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, Json, JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { connectionType } from "@factory/runtime/pagination/connection-type";
import type { Connection } from "@factory/runtime/pagination/page";
import { scopes } from "@factory/schema/scopes";
import { type PrincipalType, principalTypes } from "@factory/schema/vocabularies/people";
import {
  configurationChanges,
  type SettingOwner,
  settingOwners,
  weakerValues,
} from "@factory/schema/vocabularies/settings";
import { Directive, Field, ID, Int, ObjectType } from "type-graphql";

export const ConfigurationChange = enumType(configurationChanges);
export type ConfigurationChange = keyof typeof ConfigurationChange;

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

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters; for a limit, its meaning. Null if the entry has none.",
  })
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
  @Field(() => Int, {
    description: "The version of the entry after this change. It ascends, also when a deleted entry is created again.",
  })
  version: number;

  @Field(() => ConfigurationChange)
  change: ConfigurationChange;

  @Field(() => Json, { nullable: true, description: `${valueDescription} Null for a deletion.` })
  value: unknown;

  @Field()
  isSecret: boolean;

  @Field(() => String, {
    nullable: true,
    description: "A note for people, at most 1,000 characters. Null if the entry had none.",
  })
  description: string | null;

  @Field(() => DateTime)
  changedAt: string;

  @Field({ description: "The user or client that made the change." })
  changedBy: string;
}

const WeakerValue = enumType(weakerValues);
type WeakerValue = keyof typeof WeakerValue;

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

  @Field(() => enumType(settingOwners))
  setBy: SettingOwner;

  @Field(() => [enumType(principalTypes)], { description: "The types of principals that may change it." })
  changedBy: PrincipalType[];

  @Field(() => [String], {
    description:
      "The scopes that a change needs, beside config.manage. Texts, since names with dots are not GraphQL names.",
  })
  @Constraint({ values: scopes })
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
