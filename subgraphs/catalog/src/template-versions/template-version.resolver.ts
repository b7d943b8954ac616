import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import type { TemplateService } from "../templates/template.service.js";
import { TemplateType } from "../templates/template.type.js";
import { CreateTemplateVersionInput } from "./template-version.input.js";
import type { TemplateVersionService } from "./template-version.service.js";
import { TemplateVersionType } from "./template-version.type.js";

@Resolver(() => TemplateVersionType)
export class TemplateVersionResolver {
  readonly #versions: TemplateVersionService;
  readonly #templates: TemplateService;

  constructor(versions: TemplateVersionService, templates: TemplateService) {
    this.#versions = versions;
    this.#templates = templates;
  }

  @Mutation(() => TemplateVersionType)
  @Auth({ scopes: ["templates.write"] })
  createTemplateVersion(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: CreateTemplateVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#versions.create(context, templateId, input);
  }

  @FieldResolver(() => TemplateType)
  @Auth({ scopes: ["templates.read"] })
  template(@Root() version: TemplateVersionType, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#templates.get(context, version.templateId);
  }
}
