import { Auth } from "@factory/runtime/subgraph/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { ValidateTemplateVersionInput } from "../template-versions/template-version.input.js";
import type { ValidationService } from "./validation.service.js";
import { ValidationResultType } from "./validation.type.js";

@Resolver(() => ValidationResultType)
export class ValidationResolver {
  readonly #validations: ValidationService;

  constructor(validations: ValidationService) {
    this.#validations = validations;
  }

  @Mutation(() => ValidationResultType)
  @Auth({ scopes: ["templates.write", "templates.execute"] })
  validateTemplateVersion(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: ValidateTemplateVersionInput,
    @Ctx() context: RequestContext,
  ): Promise<ValidationResultType> {
    return this.#validations.validate(context, templateId, input);
  }
}
