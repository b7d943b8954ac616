import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { LibraryReferenceInput } from "../libraries/library-reference.input.js";
import { EvaluateLibraryCompatibilityInput, EvaluateTemplateCompatibilityInput } from "./compatibility.input.js";
import type { CompatibilityService } from "./compatibility.service.js";
import { CompatibilityMatrixType } from "./compatibility.type.js";
import { LibraryUpgradeAdviceType } from "./upgrade.type.js";

@Resolver(() => CompatibilityMatrixType)
export class CompatibilityResolver {
  readonly #compatibility: CompatibilityService;

  constructor(compatibility: CompatibilityService) {
    this.#compatibility = compatibility;
  }

  @Query(() => CompatibilityMatrixType, { description: "An evaluation as it was answered." })
  @Auth({ scopes: ["templates.read", "libraries.read"] })
  compatibilityMatrix(
    @Arg("matrixId", () => ID) matrixId: string,
    @Ctx() context: RequestContext,
  ): Promise<CompatibilityMatrixType> {
    return this.#compatibility.matrix(context, matrixId);
  }

  @Query(() => LibraryUpgradeAdviceType, {
    description: "The smallest moves of a set to the newest compatible Published versions.",
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
      "Whether libraries fit each other, the runtime and what a version of the template refers to. A set that does not fit is an answer, not an error.",
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
      "Whether libraries fit each other and the runtime. A set that does not fit is an answer, not an error.",
  })
  @Auth({ scopes: ["libraries.read"] })
  evaluateLibraryCompatibility(
    @Arg("input") input: EvaluateLibraryCompatibilityInput,
    @Ctx() context: RequestContext,
  ): Promise<CompatibilityMatrixType> {
    return this.#compatibility.evaluateLibraries(context, input);
  }
}
