import { enumType } from "@factory/runtime/graphql/enum-type";
import { NodeKey, NodeType } from "@factory/runtime/graphql/node.type";
import { DateTime, JsonObject } from "@factory/runtime/graphql/scalars";
import { type DeprecationReason, deprecationReasons } from "@factory/schema/vocabularies/libraries";
import {
  type EngineKind,
  engineKinds,
  parameterSchemaOrigins,
  templateVersionStatuses,
} from "@factory/schema/vocabularies/templates";
import { Field, ID, Int, ObjectType } from "type-graphql";

const TemplateVersionStatus = enumType(templateVersionStatuses);

export const ParameterSchemaOrigin = enumType(parameterSchemaOrigins);

@ObjectType("TemplateDeprecation", { simpleResolvers: true })
export class TemplateDeprecationType {
  @Field(() => enumType(deprecationReasons))
  reason: DeprecationReason;

  @Field(() => String, {
    nullable: true,
    description: "A text for users of the version, at most 2,000 characters. Null when none was given.",
  })
  message: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The version to use instead, which may belong to another template. Null when none was named.",
  })
  replacementTemplateVersionId: string | null;

  @Field(() => DateTime)
  deprecatedAt: string;
}

/** A template version as GraphQL shows it. */
@ObjectType("TemplateVersion", { implements: NodeType, simpleResolvers: true })
@NodeKey("templateVersionId")
export class TemplateVersionType {
  @Field(() => ID)
  templateVersionId: string;

  @Field(() => ID)
  templateId: string;

  @Field()
  semanticVersion: string;

  @Field(() => TemplateVersionStatus)
  status: keyof typeof TemplateVersionStatus;

  @Field()
  targetFramework: string;

  @Field()
  sourceRef: string;

  @Field(() => String, {
    nullable: true,
    description: "The sourceRef, pinned to a commit or a package. Null until the source was fetched.",
  })
  resolvedRef: string | null;

  @Field(() => String, { nullable: true, description: "SHA-256 over the modes, paths and contents of the source." })
  contentDigest: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Selects one of several templates in the source: its identity, the identity of its group or a short name.",
  })
  templateIdentity: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Selects one of several templates in the source by the tag language, for example F#.",
  })
  templateLanguage: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Selects one of several templates in the source by the tag type: project, item or solution.",
  })
  templateType: string | null;

  @Field(() => enumType(engineKinds))
  engineKind: EngineKind;

  @Field(() => JsonObject, {
    description: "JSON Schema draft 2020-12 that the parameters of an execution must satisfy.",
  })
  parameterSchema: Record<string, unknown>;

  @Field(() => ParameterSchemaOrigin)
  parameterSchemaOrigin: keyof typeof ParameterSchemaOrigin;

  @Field(() => Int, {
    description: "Rises with every replacement of the Draft. A change can name it in `expectedVersion`.",
  })
  revision: number;

  @Field(() => String, {
    nullable: true,
    description:
      "A text about the changes since earlier versions, at most 65,536 characters. Null when none was given.",
  })
  changelog: string | null;

  @Field(() => DateTime, { nullable: true, description: "Null while the version is a Draft." })
  publishedAt: string | null;

  @Field(() => TemplateDeprecationType, { nullable: true, description: "Null until the version is Deprecated." })
  deprecation: TemplateDeprecationType | null;

  @Field(() => DateTime)
  createdAt: string;
}
