import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from "type-graphql";
import { TemplateDetailsType } from "./template-details.type.js";
import type { TemplateDraftService } from "./template-draft.service.js";
import type { TemplatePromotionService } from "./template-promotion.service.js";
import { CreateTemplateVersionInput, DeprecateTemplateVersionInput } from "./template-version.input.js";
import type { TemplateVersionService } from "./template-version.service.js";
import { TemplateVersionType } from "./template-version.type.js";

const ifMatchDescription = {
  nullable: true,
  description: 'Entity tags such as "7", or *. Without one that names the revision: 412.',
};

interface VersionServices {
  readonly versions: TemplateVersionService;
  readonly drafts: TemplateDraftService;
  readonly promotions: TemplatePromotionService;
}

/** The operations on template versions, and their details. */
@Resolver(() => TemplateVersionType)
export class TemplateVersionResolver {
  readonly #versions: TemplateVersionService;
  readonly #drafts: TemplateDraftService;
  readonly #promotions: TemplatePromotionService;

  constructor({ versions, drafts, promotions }: VersionServices) {
    this.#versions = versions;
    this.#drafts = drafts;
    this.#promotions = promotions;
  }

  @Mutation(() => TemplateVersionType, {
    description:
      "Creates a Draft version that names the source of its content. The source is resolved within three seconds. If it does not answer, it is resolved at the first use of the version. A parameterSchema that is left out is derived from the content, at the latest when the content is first read.",
  })
  @Auth({ scopes: ["templates.write"] })
  createTemplateVersion(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: CreateTemplateVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#drafts.create(context, templateId, input);
  }

  @Mutation(() => TemplateVersionType, {
    description:
      "Gives a Draft another content under the same id. Its validations are void. Executions that name the earlier content keep it.",
  })
  @Auth({ scopes: ["templates.write"] })
  replaceTemplateVersion(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Arg("input") input: CreateTemplateVersionInput,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#drafts.replace(context, templateVersionId, { input, ifMatch });
  }

  @Mutation(() => TemplateVersionType, {
    description:
      "Deletes a Draft with its validations, and returns what it was. If an execution names it, the answer is CONFLICT.",
  })
  @Auth({ scopes: ["templates.write"] })
  deleteTemplateVersion(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#drafts.delete(context, templateVersionId, { ifMatch });
  }

  @Mutation(() => TemplateVersionType, {
    description:
      "Publishes a version whose content passed all three checks. Otherwise the answer is TEMPLATE_VERSION_NOT_VALIDATED with missingChecks.",
  })
  @Auth({ scopes: ["templates.publish"] })
  publishTemplateVersion(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#promotions.publish(context, templateVersionId);
  }

  @Mutation(() => TemplateVersionType, {
    description: "Deprecates a published version. It stays executable, with a warning.",
  })
  @Auth({ scopes: ["templates.publish"] })
  deprecateTemplateVersion(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Arg("input") input: DeprecateTemplateVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<TemplateVersionType> {
    return this.#promotions.deprecate(context, templateVersionId, input);
  }

  @FieldResolver(() => TemplateDetailsType, {
    nullable: true,
    description: "Null until a validation, a preview or an execution has read the content of the version.",
  })
  @Auth({ scopes: ["templates.read"] })
  details(
    @Root() version: TemplateVersionType,
    @Arg("locale", () => String, { nullable: true, description: "A language tag of BCP 47, for example de-AT." })
    locale: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<TemplateDetailsType | null> {
    return this.#versions.details(tenantOf(context), version.templateVersionId, locale);
  }
}
