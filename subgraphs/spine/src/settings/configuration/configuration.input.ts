import { Json } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, InputType } from "type-graphql";

@InputType({ description: "The whole entry. A member that is left out gets its default." })
export class SetConfigurationInput {
  @Field(() => Json, {
    nullable: true,
    description:
      "Required. Any JSON value, null included, of at most 64 KiB. The value of a known setting has to fit its schema (knownSettings).",
  })
  value?: unknown;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 1000 })
  description?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "True: the value is encrypted and never shown again. Default: false for a new entry; a secret entry stays secret.",
  })
  isSecret?: boolean | null;
}

@InputType()
export class ConfigEntryFilterInput {
  @Field(() => String, { nullable: true, description: "The beginning of the key." })
  @Constraint({ maxLength: 128 })
  prefix?: string | null;
}
