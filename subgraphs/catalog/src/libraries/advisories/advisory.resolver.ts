import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { DeleteAdvisoriesInput, ImportAdvisoriesInput } from "./advisory.input.js";
import type { AdvisoryService } from "./advisory.service.js";
import { AdvisoryDeletionType, AdvisoryImportType, PackageAdvisoryType } from "./advisory.type.js";

/** The GraphQL operations for advisories. */
@Resolver(() => PackageAdvisoryType)
export class AdvisoryResolver {
  readonly #advisories: AdvisoryService;

  constructor(advisories: AdvisoryService) {
    this.#advisories = advisories;
  }

  @Query(() => [PackageAdvisoryType], {
    description: "The first 200 imported advisories about a package, by their ids.",
  })
  @Auth({ scopes: ["libraries.read"] })
  packageAdvisories(
    @Arg("packageName") packageName: string,
    @Ctx() context: RequestContext,
  ): Promise<PackageAdvisoryType[]> {
    return this.#advisories.ofPackage(context, packageName);
  }

  @Mutation(() => AdvisoryImportType, {
    description:
      "Imports security advisories from documents in the format of OSV. If an advisory exists already, the copy that was changed last is kept, unless it may not weaken the stored one. Later scans find it.",
  })
  @Auth({ scopes: ["libraries.write"] })
  importAdvisories(
    @Arg("input") input: ImportAdvisoriesInput,
    @Ctx() context: RequestContext,
  ): Promise<AdvisoryImportType> {
    return this.#advisories.import(context, input);
  }

  @Mutation(() => AdvisoryDeletionType, {
    description:
      "Deletes imported advisories. Later scans and publications no longer find them. While governance.publish.scanSeverity is set, it needs governance.approve, too, and agents cannot call it.",
  })
  @Auth({ scopes: ["libraries.write"] })
  deleteAdvisories(
    @Arg("input") input: DeleteAdvisoriesInput,
    @Ctx() context: RequestContext,
  ): Promise<AdvisoryDeletionType> {
    return this.#advisories.delete(context, input);
  }
}
