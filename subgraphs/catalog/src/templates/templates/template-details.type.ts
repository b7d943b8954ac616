import { enumType } from "@factory/runtime/graphql/enum-type";
import { type ParameterDatatype, parameterDatatypes } from "@factory/schema/vocabularies/templates";
import { Field, ObjectType } from "type-graphql";

@ObjectType("TemplateParameterChoice", { simpleResolvers: true })
export class TemplateParameterChoiceType {
  @Field()
  choice: string;

  @Field(() => String, { nullable: true, description: "The name for people. Null where the template has none." })
  displayName: string | null;

  @Field(() => String, { nullable: true, description: "Null where the template has none." })
  description: string | null;
}

@ObjectType("TemplateParameter", { simpleResolvers: true })
export class TemplateParameterType {
  @Field()
  name: string;

  @Field(() => String, { nullable: true, description: "The name for people. Null where the template has none." })
  displayName: string | null;

  @Field(() => String, { nullable: true, description: "Null where the template has none." })
  description: string | null;

  @Field(() => enumType(parameterDatatypes))
  datatype: ParameterDatatype;

  @Field(() => String, {
    nullable: true,
    description:
      "A text for every datatype, for example true for bool. Null where the template has none that is a text.",
  })
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

  @Field(() => [TemplateParameterChoiceType], {
    description: "The allowed values where the datatype is choice, in the order of template.json.",
  })
  choices: readonly TemplateParameterChoiceType[];
}

@ObjectType("TemplateDetails", {
  simpleResolvers: true,
  description:
    "Name, description and parameters of a template as its content describes them. The texts are localized if the content has them in the requested language.",
})
export class TemplateDetailsType {
  @Field(() => String, {
    nullable: true,
    description:
      "The name by which dotnet new knows exactly this template, for example Acme.Api.CSharp. Null where the template has none.",
  })
  identity: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The name that variants of one template share, for example those for C# and F#. Null where the template has none.",
  })
  groupIdentity: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The name for people, for example ASP.NET Core Web API. Null where the template has none.",
  })
  name: string | null;

  @Field(() => String, { nullable: true, description: "Null where the template has none." })
  description: string | null;

  @Field(() => String, { nullable: true, description: "The person or company. Null where the template has none." })
  author: string | null;

  @Field(() => [String], {
    description: "Names for the command line, for example webapi, in the order of template.json.",
  })
  shortNames: readonly string[];

  @Field(() => [String], {
    description: "Words by which dotnet new groups templates, for example Web, in the order of template.json.",
  })
  classifications: readonly string[];

  @Field(() => String, {
    nullable: true,
    description:
      "The programming language, for example C#, as the tag language names it. Null where the template has none.",
  })
  language: string | null;

  @Field(() => String, {
    nullable: true,
    description: "project, item or solution. A text, since the author of the template writes it.",
  })
  type: string | null;

  @Field(() => [TemplateParameterType], { description: "In the order of template.json, hidden ones included." })
  parameters: readonly TemplateParameterType[];

  @Field(() => String, {
    nullable: true,
    description:
      "Culture of the texts, for example zh-Hans for the locale zh-CN. Null for the unlocalized texts of the template.",
  })
  culture: string | null;
}
