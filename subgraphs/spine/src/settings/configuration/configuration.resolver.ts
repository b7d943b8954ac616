import { Auth } from "@factory/runtime/graphql/auth";
import {
  ExpectedVersion,
  ExpectedVersionOrNone,
  preconditionsOf,
} from "@factory/runtime/input-validation/expected-version";
import type { PageBounds } from "@factory/runtime/pagination/page";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from "type-graphql";
import { ConfigEntryFilterInput, SetConfigurationInput } from "./configuration.input.js";
import { type ConfigurationService, sortedEntryVersions } from "./configuration.service.js";
import {
  ChangedConfigEntryType,
  ConfigEntryConnection,
  ConfigEntryType,
  ConfigVersionConnection,
  KnownSettingType,
} from "./configuration.type.js";
import type { ConfigurationChangeService } from "./configuration-change.service.js";
import { sortedEntries } from "./configuration-statement.js";

@Resolver(() => ConfigEntryType)
export class ConfigurationResolver {
  readonly #configuration: ConfigurationService;
  readonly #changes: ConfigurationChangeService;

  constructor(configuration: ConfigurationService, changes: ConfigurationChangeService) {
    this.#configuration = configuration;
    this.#changes = changes;
  }

  @Query(() => ConfigEntryConnection, {
    description: "The configuration entries of the tenant, and the limits that the platform has set for it (limits.*).",
  })
  @Auth({ scopes: ["config.read"] })
  configEntries(
    @Args(() => PageArguments) page: PageBounds,
    @SortArg(sortedEntries) sort: string | null | undefined,
    @Arg("filter", () => ConfigEntryFilterInput, { nullable: true }) filter: ConfigEntryFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConfigEntryConnection> {
    return this.#configuration.list(context, { ...page, sort, filter });
  }

  @Query(() => ConfigEntryType, { description: "One configuration entry of the tenant." })
  @Auth({ scopes: ["config.read"] })
  configEntry(@Arg("key", () => ID) key: string, @Ctx() context: RequestContext): Promise<ConfigEntryType> {
    return this.#configuration.get(context, key);
  }

  @Query(() => ConfigVersionConnection, {
    description:
      "The last 20 versions of an entry, also of a deleted one, as long as the whole history of the tenant has at most 32 MiB.",
  })
  @Auth({ scopes: ["config.read"] })
  configEntryHistory(
    @Arg("key", () => ID) key: string,
    @Args(() => PageArguments) page: PageBounds,
    @SortArg(sortedEntryVersions) sort: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ConfigVersionConnection> {
    return this.#configuration.history(context, key, { ...page, sort });
  }

  @Query(() => [KnownSettingType], {
    description:
      "The keys on which the platform acts, with schema, default and the value that holds for the tenant. Other keys may be set too.",
  })
  @Auth({ scopes: ["config.read"] })
  knownSettings(@Ctx() context: RequestContext): Promise<KnownSettingType[]> {
    return this.#configuration.knownSettings(context);
  }

  @Mutation(() => ChangedConfigEntryType, {
    description:
      "Creates or replaces a configuration entry. A known setting takes effect within one second, but a weaker value of a protected one waits for the approval of another person (approvalId, approveScopes).",
  })
  @Auth({ scopes: ["config.manage"] })
  setConfigEntry(
    @Arg("key", () => ID) key: string,
    @Arg("input") input: SetConfigurationInput,
    @Args(() => ExpectedVersionOrNone) expected: ExpectedVersionOrNone,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.set(context, key, input, preconditionsOf(expected));
  }

  @Mutation(() => ChangedConfigEntryType, {
    description:
      "Deletes a configuration entry and returns it. A known setting has its default again, after an approval if the default of a protected one is weaker (approvalId). Versions of the entry can be restored.",
  })
  @Auth({ scopes: ["config.manage"] })
  deleteConfigEntry(
    @Arg("key", () => ID) key: string,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.delete(context, key, preconditionsOf(expected));
  }

  @Mutation(() => ChangedConfigEntryType, {
    description:
      "Makes an earlier version of an entry the current one, also of a deleted entry. A weaker value of a protected setting waits for the approval of another person (approvalId).",
  })
  @Auth({ scopes: ["config.manage"] })
  restoreConfigEntry(
    @Arg("key", () => ID) key: string,
    @Arg("version", () => Int) version: number,
    @Args(() => ExpectedVersion) expected: ExpectedVersion,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.restore(context, key, version, preconditionsOf(expected));
  }
}
