import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { RegisterTemplateInput, TemplateFilterInput, UpdateTemplateInput } from "./template.input.js";
import type { TemplateService } from "./template.service.js";
import { TemplateConnection, TemplateType } from "./template.type.js";
import type { TemplateChangeService } from "./template-change.service.js";
import { sortedTemplates, type TemplateListService } from "./template-list.service.js";

/** The operations that register, read, list, change and archive templates. */
@Resolver(() => TemplateType)
export class TemplateResolver {
  readonly #templates: TemplateService;
  readonly #lists: TemplateListService;
  readonly #changes: TemplateChangeService;

  constructor(templates: TemplateService, lists: TemplateListService, changes: TemplateChangeService) {
    this.#templates = templates;
    this.#lists = lists;
    this.#changes = changes;
  }

  @Query(() => TemplateType, { description: "A template with its versions." })
  @Auth({ scopes: ["templates.read"] })
  template(@Arg("templateId", () => ID) templateId: string, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#templates.get(context, templateId);
  }

  @Query(() => TemplateConnection, { description: "The templates of the tenant." })
  @Auth({ scopes: ["templates.read"] })
  templates(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedTemplates) sort: string | null | undefined,
    @Arg("filter", () => TemplateFilterInput, { nullable: true }) filter: TemplateFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TemplateConnection> {
    return this.#lists.list(context, { ...page, sort, filter });
  }

  @Mutation(() => TemplateType, {
    description: "Creates a template without versions. Its name must be unique in the tenant, ignoring case.",
  })
  @Auth({ scopes: ["templates.write"] })
  registerTemplate(@Arg("input") input: RegisterTemplateInput, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#templates.register(context, input);
  }

  @Mutation(() => TemplateType, {
    description: "Renames a template, or changes how it is described. A change to the same values records no event.",
  })
  @Auth({ scopes: ["templates.write"] })
  updateTemplate(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: UpdateTemplateInput,
    @Ctx() context: RequestContext,
  ): Promise<TemplateType> {
    return this.#changes.update(context, templateId, input);
  }

  @Mutation(() => TemplateType, {
    description:
      "Archives a template: it takes no new versions, and no Draft of it can be replaced or published. Its versions can still be executed, with a warning.",
  })
  @Auth({ scopes: ["templates.write"] })
  archiveTemplate(
    @Arg("templateId", () => ID) templateId: string,
    @Ctx() context: RequestContext,
  ): Promise<TemplateType> {
    return this.#changes.archive(context, templateId);
  }

  @Mutation(() => TemplateType, { description: "Makes an archived template Active again." })
  @Auth({ scopes: ["templates.write"] })
  restoreTemplate(
    @Arg("templateId", () => ID) templateId: string,
    @Ctx() context: RequestContext,
  ): Promise<TemplateType> {
    return this.#changes.restore(context, templateId);
  }
}
