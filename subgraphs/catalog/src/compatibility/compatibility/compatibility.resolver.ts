import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { LibraryReferenceInput } from "../../libraries/libraries/library-reference.input.js";
import { EvaluateLibraryCompatibilityInput, EvaluateTemplateCompatibilityInput } from "./compatibility.input.js";
import type { CompatibilityService } from "./compatibility.service.js";
import { CompatibilityMatrixType } from "./compatibility.type.js";
import { LibraryUpgradeAdviceType } from "./upgrade.type.js";

/** The GraphQL operations for compatibility. */
@Resolver(() => CompatibilityMatrixType)
export class CompatibilityResolver {
  readonly #compatibility: CompatibilityService;

  constructor(compatibility: CompatibilityService) {
    this.#compatibility = compatibility;
  }

  @Query(() => CompatibilityMatrixType, { description: "A stored evaluation, exactly as it was answered." })
  @Auth({ scopes: ["templates.read", "libraries.read"] })
  compatibilityMatrix(
    @Arg("matrixId", () => ID) matrixId: string,
    @Ctx() context: RequestContext,
  ): Promise<CompatibilityMatrixType> {
    return this.#compatibility.matrix(context, matrixId);
  }

  @Query(() => LibraryUpgradeAdviceType, {
    description:
      "Upgrades of a set to newer Published versions: for each package alone, and for the whole set together. Nothing is stored.",
  })
  @Auth({ scopes: ["libraries.read"] })
  libraryUpgradeAdvice(
    @Arg("runtime") runtime: string,
    @Arg("libraries", () => [LibraryReferenceInput]) libraries: LibraryReferenceInput[],
    @Ctx() context: RequestContext,
  ): Promise<LibraryUpgradeAdviceType> {
    return this.#compatibility.upgrades(context, runtime, libraries);
  }

  @Mutation(() => CompatibilityMatrixType, {
    description:
      "Evaluates whether libraries are compatible with each other, with the runtime and with a version of the template. An incompatible set is a normal answer, not an error.",
  })
  @Auth({ scopes: ["templates.read"] })
  evaluateTemplateCompatibility(
    @Arg("templateId", () => ID) templateId: string,
    @Arg("input") input: EvaluateTemplateCompatibilityInput,
    @Ctx() context: RequestContext,
  ): Promise<CompatibilityMatrixType> {
    return this.#compatibility.evaluateTemplate(context, templateId, input);
  }

  @Mutation(() => CompatibilityMatrixType, {
    description:
      "Evaluates whether libraries are compatible with each other and with the runtime. An incompatible set is a normal answer, not an error.",
  })
  @Auth({ scopes: ["libraries.read"] })
  evaluateLibraryCompatibility(
    @Arg("input") input: EvaluateLibraryCompatibilityInput,
    @Ctx() context: RequestContext,
  ): Promise<CompatibilityMatrixType> {
    return this.#compatibility.evaluateLibraries(context, input);
  }
}
