import { enumType } from "@factory/runtime/graphql/enum-type";
import { type ParameterDatatype, parameterDatatypes } from "@factory/schema/vocabularies/templates";
import { Field, ObjectType } from "type-graphql";

@ObjectType("TemplateParameterChoice", { simpleResolvers: true })
export class TemplateParameterChoiceType {
  @Field()
  choice: string;

  @Field(() => String, { nullable: true })
  displayName: string | null;

  @Field(() => String, { nullable: true })
  description: string | null;
}

@ObjectType("TemplateParameter", { simpleResolvers: true })
export class TemplateParameterType {
  @Field()
  name: string;

  @Field(() => String, { nullable: true })
  displayName: string | null;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => enumType(parameterDatatypes))
  datatype: ParameterDatatype;

  @Field(() => String, { nullable: true })
  defaultValue: string | null;

  @Field({
    description: "True when the parameter is always required. If a condition of the template decides, it is false.",
  })
  required: boolean;

  @Field()
  allowMultipleValues: boolean;

  @Field(() => [String], {
    description: "Other names that a request may use: the long and the short name in dotnetcli.host.json.",
  })
  aliases: readonly string[];

  @Field({ description: "True when dotnet new does not list the parameter. A request may still set it." })
  hidden: boolean;

  @Field(() => [TemplateParameterChoiceType])
  choices: readonly TemplateParameterChoiceType[];
}

@ObjectType("TemplateDetails", {
  simpleResolvers: true,
  description:
    "Name, description and parameters of a template as its content describes them. The texts are localized if the content has them in the requested language.",
})
export class TemplateDetailsType {
  @Field(() => String, { nullable: true })
  identity: string | null;

  @Field(() => String, { nullable: true })
  groupIdentity: string | null;

  @Field(() => String, { nullable: true })
  name: string | null;

  @Field(() => String, { nullable: true })
  description: string | null;

  @Field(() => String, { nullable: true })
  author: string | null;

  @Field(() => [String])
  shortNames: readonly string[];

  @Field(() => [String])
  classifications: readonly string[];

  @Field(() => String, { nullable: true })
  language: string | null;

  @Field(() => String, {
    nullable: true,
    description: "project, item or solution. A text, since the author of the template writes it.",
  })
  type: string | null;

  @Field(() => [TemplateParameterType])
  parameters: readonly TemplateParameterType[];

  @Field(() => String, {
    nullable: true,
    description:
      "Culture of the texts, for example zh-Hans for the locale zh-CN. Null for the unlocalized texts of the template.",
  })
  culture: string | null;
}
