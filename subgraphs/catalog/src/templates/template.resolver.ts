import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RegisterTemplateInput } from "./template.input.js";
import type { TemplateService } from "./template.service.js";
import { TemplateType } from "./template.type.js";

@Resolver(() => TemplateType)
export class TemplateResolver {
  readonly #templates: TemplateService;

  constructor(templates: TemplateService) {
    this.#templates = templates;
  }

  @Query(() => TemplateType)
  @Auth({ scopes: ["templates.read"] })
  template(@Arg("templateId", () => ID) templateId: string, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#templates.get(context, templateId);
  }

  @Mutation(() => TemplateType)
  @Auth({ scopes: ["templates.write"] })
  registerTemplate(@Arg("input") input: RegisterTemplateInput, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#templates.register(context, input);
  }
}
