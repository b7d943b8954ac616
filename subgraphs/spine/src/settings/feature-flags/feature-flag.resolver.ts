import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { FeatureFlagFilterInput, SetFeatureFlagInput } from "./feature-flag.input.js";
import { type FeatureFlagService, sortedFlags, sortedFlagVersions } from "./feature-flag.service.js";
import {
  FeatureFlagConnection,
  FeatureFlagType,
  FeatureFlagVersionConnection,
  SetFeatureFlagType,
} from "./feature-flag.type.js";

const ifMatchDescription = {
  nullable: true,
  description: 'The header If-Match: entity tags such as "7", or *. Without one that names the version: 412.',
};
const ifNoneMatchDescription = {
  nullable: true,
  description: "The header If-None-Match: * refuses the change with 412 if the flag exists.",
};

@Resolver(() => FeatureFlagType)
export class FeatureFlagResolver {
  readonly #flags: FeatureFlagService;

  constructor(flags: FeatureFlagService) {
    this.#flags = flags;
  }

  @Query(() => FeatureFlagConnection, { description: "The feature flags of the tenant." })
  @Auth({ scopes: ["config.read"] })
  featureFlags(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedFlags) sort: string | null | undefined,
    @Arg("filter", () => FeatureFlagFilterInput, { nullable: true }) filter: FeatureFlagFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlagConnection> {
    return this.#flags.list(context, { ...page, sort, filter });
  }

  @Query(() => FeatureFlagType, { description: "One feature flag of the tenant." })
  @Auth({ scopes: ["config.read"] })
  featureFlag(@Arg("key", () => ID) key: string, @Ctx() context: RequestContext): Promise<FeatureFlagType> {
    return this.#flags.get(context, key);
  }

  @Query(() => FeatureFlagVersionConnection, {
    description:
      "The newest 50 versions of a feature flag, with who made each of them and when; fewer if their rules are long. Also for a deleted flag, as long as it is one of the last 100 deleted ones.",
  })
  @Auth({ scopes: ["config.read"] })
  featureFlagHistory(
    @Arg("key", () => ID) key: string,
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedFlagVersions) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlagVersionConnection> {
    return this.#flags.history(context, key, { ...page, sort });
  }

  @Mutation(() => SetFeatureFlagType, {
    description:
      "Creates the feature flag, or replaces it. The key has 1 to 100 letters, digits, dots, underscores and hyphens, and begins with a letter or digit. A tenant has at most 1,000 flags.",
  })
  @Auth({ scopes: ["config.manage"] })
  setFeatureFlag(
    @Arg("key", () => ID) key: string,
    @Arg("input") input: SetFeatureFlagInput,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Arg("ifNoneMatch", () => String, ifNoneMatchDescription) ifNoneMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<SetFeatureFlagType> {
    return this.#flags.set(context, key, input, { ifMatch, ifNoneMatch });
  }

  @Mutation(() => FeatureFlagType, {
    description: "Deletes the feature flag and returns it. Its history stays, and a version of it can be restored.",
  })
  @Auth({ scopes: ["config.manage"] })
  deleteFeatureFlag(
    @Arg("key", () => ID) key: string,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<FeatureFlagType> {
    return this.#flags.delete(context, key, { ifMatch });
  }

  @Mutation(() => SetFeatureFlagType, {
    description: "Makes the feature flag what it was in an earlier version, as a new version. Also for a deleted flag.",
  })
  @Auth({ scopes: ["config.manage"] })
  restoreFeatureFlag(
    @Arg("key", () => ID) key: string,
    @Arg("version", () => Int) version: number,
    @Arg("ifMatch", () => String, ifMatchDescription) ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<SetFeatureFlagType> {
    return this.#flags.restore(context, key, version, { ifMatch });
  }
}
