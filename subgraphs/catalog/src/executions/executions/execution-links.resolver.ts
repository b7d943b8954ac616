import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { TemplateService } from "../../templates/templates/template.service.js";
import { TemplateType } from "../../templates/templates/template.type.js";
import type { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { TemplateVersionType } from "../../templates/templates/template-version.type.js";
import { ExecutionType } from "./record/execution.type.js";

/**
 * Resolves the template and the version that an execution used. A list reads each version once.
 */
@Resolver(() => ExecutionType)
export class ExecutionLinksResolver {
  readonly #templates: Pick<TemplateService, "get">;
  readonly #versions: Pick<TemplateVersionService, "find">;

  constructor(templates: Pick<TemplateService, "get">, versions: Pick<TemplateVersionService, "find">) {
    this.#templates = templates;
    this.#versions = versions;
  }

  @FieldResolver(() => TemplateType)
  @Auth({ scopes: ["templates.read"] })
  template(@Root() { templateId }: ExecutionType, @Ctx() context: RequestContext): Promise<TemplateType> {
    return this.#once(context, templateId, () => this.#templates.get(context, templateId));
  }

  @FieldResolver(() => TemplateVersionType, { nullable: true })
  @Auth({ scopes: ["templates.read"] })
  templateVersion(
    @Root() { templateVersionId }: ExecutionType,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType | null> {
    return this.#once(
      context,
      templateVersionId,
      async () => (await this.#versions.find(tenantOf(context), templateVersionId)) ?? null,
    );
  }

  #once<T>({ loaders }: RequestContext, id: string, readLink: () => Promise<T>): Promise<T> {
    const links = (loaders.get(this) ?? new Map()) as Map<string, Promise<T>>;
    loaders.set(this, links);
    const link = links.get(id) ?? readLink();
    links.set(id, link);
    return link;
  }
}
