import { JsonObject } from "@factory/runtime/graphql/scalars";
import { Constraint } from "@factory/runtime/input-validation/constraint";
import { Field, ID, InputType } from "type-graphql";

/** SemVer 2.0.0, the expression its specification suggests. */
export const semanticVersionPattern =
  "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$";

@InputType()
export class CreateTemplateVersionInput {
  @Field({ description: "SemVer 2.0.0 without a leading v, e.g. 1.2.0; unique in the template, build metadata aside." })
  @Constraint({ maxLength: 100, pattern: semanticVersionPattern })
  semanticVersion: string;

  @Field({ description: "Where the content is, e.g. git+https://host/owner/repo.git#v1.2.0:templates/api" })
  @Constraint({ minLength: 1, maxLength: 2048 })
  sourceRef: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Of several templates in the source: its identity, the identity of its group or a short name, in any case.",
  })
  @Constraint({ minLength: 1, maxLength: 200 })
  templateIdentity?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Of several templates in the source: the tag language, e.g. F#. In a group, C# if absent.",
  })
  @Constraint({ minLength: 1, maxLength: 50 })
  templateLanguage?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Of several templates in the source: the tag type, e.g. project, item or solution.",
  })
  @Constraint({ minLength: 1, maxLength: 50 })
  templateType?: string | null;

  @Field({ description: "DotnetNewTemplatePack." })
  @Constraint({ minLength: 1, maxLength: 100 })
  engineKind: string;

  @Field({ description: "Target framework moniker, e.g. net8.0" })
  @Constraint({ minLength: 1, maxLength: 100 })
  targetFramework: string;

  @Field(() => JsonObject, { nullable: true, description: "JSON Schema draft 2020-12; defaults to any object." })
  parameterSchema?: Record<string, unknown> | null;

  @Field(() => String, { nullable: true })
  @Constraint({ maxLength: 65_536 })
  changelog?: string | null;
}

@InputType()
export class DeprecateTemplateVersionInput {
  @Field({ description: "Legacy, CriticalBugs or Other." })
  @Constraint({ maxLength: 50 })
  reason: string;

  @Field(() => String, { nullable: true })
  @Constraint({ minLength: 1, maxLength: 2000 })
  message?: string | null;

  @Field(() => ID, { nullable: true, description: "A version of any template of the tenant, to be used instead." })
  replacementTemplateVersionId?: string | null;
}
