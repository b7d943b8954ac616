import { enumType } from "@factory/runtime/graphql/enum-type";
import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { deprecationReasons } from "@factory/schema/vocabularies/libraries";
import { type EngineKind, engineKinds } from "@factory/schema/vocabularies/templates";
import { Field, ID, InputType } from "type-graphql";

/** SemVer 2.0.0: the regular expression from its specification. */
const semanticVersionPattern =
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$";

@InputType()
export class CreateTemplateVersionInput {
  @Field({
    description:
      "SemVer 2.0.0 without a leading v, for example 1.2.0. Unique in the template, without regard to build metadata.",
  })
  @Constraint({ maxLength: 100, pattern: semanticVersionPattern })
  semanticVersion: string;

  @Field({ description: "Address of the content, for example git+https://host/owner/repo.git#v1.2.0:templates/api" })
  @Constraint({ minLength: 1, maxLength: 2048 })
  sourceRef: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Selects one of several templates in the source: its identity, the identity of its group or a short name. Ignores case.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  templateIdentity?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Selects one of several templates in the source by the tag language, for example F#. Default in a group: C#.",
  })
  @Constraint({ minLength: 1, maxLength: 50 })
  templateLanguage?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Selects one of several templates in the source by the tag type: project, item or solution.",
  })
  @Constraint({ minLength: 1, maxLength: 50 })
  templateType?: string | null;

  @Field(() => enumType(engineKinds))
  engineKind: EngineKind;

  @Field({ description: "Target framework moniker, for example net8.0. A text, since net8.0 is not a GraphQL name." })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework: string;

  @Field(() => JsonObject, {
    nullable: true,
    description: "JSON Schema draft 2020-12. Default: a schema that is derived from the symbols of the template.",
  })
  parameterSchema?: Record<string, unknown> | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 65_536 })
  changelog?: string | null;
}

/** The reason for a deprecation, and a replacement. */
@InputType()
export class DeprecateTemplateVersionInput {
  // a text, since gRPC and commands bring one too
  @Field(() => enumType(deprecationReasons))
  reason: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 2000 })
  message?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The version to use instead, which may belong to another template.",
  })
  replacementTemplateVersionId?: string | null;
}
