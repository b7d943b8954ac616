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

  @Field({ description: "string, bool, integer, float, hex or choice." })
  datatype: string;

  @Field(() => String, { nullable: true })
  defaultValue: string | null;

  @Field({ description: "False too where a condition of the template decides." })
  required: boolean;

  @Field()
  allowMultipleValues: boolean;

  @Field(() => [String], {
    description: "Other names that it may come under, from dotnetcli.host.json: its long and its short name.",
  })
  aliases: readonly string[];

  @Field({ description: "dotnet new does not list it; it can be given all the same." })
  hidden: boolean;

  @Field(() => [TemplateParameterChoiceType])
  choices: readonly TemplateParameterChoiceType[];
}

@ObjectType("TemplateDetails", {
  simpleResolvers: true,
  description: "What the content of a version says of itself, in the language of a locale where it has one.",
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

  @Field(() => String, { nullable: true, description: "project, item or solution." })
  type: string | null;

  @Field(() => [TemplateParameterType])
  parameters: readonly TemplateParameterType[];

  @Field(() => String, {
    nullable: true,
    description: "Culture of the texts, e.g. zh-Hans for the locale zh-CN; null: as the template itself says them.",
  })
  culture: string | null;
}
