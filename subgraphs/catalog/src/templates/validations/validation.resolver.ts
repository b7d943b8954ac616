import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { ValidateTemplateVersionInput } from "./validation.input.js";
import type { ValidationService } from "./validation.service.js";
import { ValidationResultConnection, ValidationResultType } from "./validation.type.js";
import { sortedValidationResults, type ValidationListService } from "./validation-list.service.js";

/** The GraphQL operations for validations. */
@Resolver(() => ValidationResultType)
export class ValidationResolver {
  readonly #validations: ValidationService;
  readonly #lists: ValidationListService;

  constructor(validations: ValidationService, lists: ValidationListService) {
    this.#validations = validations;
    this.#lists = lists;
  }

  @Query(() => ValidationResultConnection, { description: "The validation results of one template version." })
  @Auth({ scopes: ["templates.read"] })
  validationResults(
    @Arg("templateVersionId", () => ID) templateVersionId: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedValidationResults) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ValidationResultConnection> {
    return this.#lists.list(context, templateVersionId, { ...page, sort });
  }

  @Mutation(() => ValidationResultType, {
    description: "Runs the named checks, or all checks, on the content of a template version and stores the result.",
  })
  @Auth({ scopes: ["templates.write", "templates.execute"] })
  validateTemplateVersion(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: ValidateTemplateVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<ValidationResultType> {
    return this.#validations.validate(context, templateId, input);
  }
}
