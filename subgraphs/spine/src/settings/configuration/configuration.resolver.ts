import { Auth } from "@factory/runtime/graphql/auth";
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

const ifMatchDescription =
  'The change happens only if the entry has one of these versions: entity tags such as "7", or * for any version.';
const ifNoneMatchDescription = "With * the change happens only if the key does not have an entry yet.";

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
    @Args(() => PageArguments) page: PageArguments,
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
  configurationHistory(
    @Arg("key", () => ID) key: string,
    @Args(() => PageArguments) page: PageArguments,
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
  setConfiguration(
    @Arg("key", () => ID) key: string,
    @Arg("input") input: SetConfigurationInput,
    @Arg("ifMatch", () => String, { nullable: true, description: ifMatchDescription })
    ifMatch: string | null | undefined,
    @Arg("ifNoneMatch", () => String, { nullable: true, description: ifNoneMatchDescription })
    ifNoneMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.set(context, key, input, { ifMatch, ifNoneMatch });
  }

  @Mutation(() => ChangedConfigEntryType, {
    description:
      "Deletes a configuration entry and returns it. A known setting has its default again, after an approval if the default of a protected one is weaker (approvalId). Versions of the entry can be restored.",
  })
  @Auth({ scopes: ["config.manage"] })
  deleteConfiguration(
    @Arg("key", () => ID) key: string,
    @Arg("ifMatch", () => String, { nullable: true, description: ifMatchDescription })
    ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.delete(context, key, { ifMatch });
  }

  @Mutation(() => ChangedConfigEntryType, {
    description:
      "Makes an earlier version of an entry the current one, also of a deleted entry. A weaker value of a protected setting waits for the approval of another person (approvalId).",
  })
  @Auth({ scopes: ["config.manage"] })
  restoreConfiguration(
    @Arg("key", () => ID) key: string,
    @Arg("version", () => Int) version: number,
    @Arg("ifMatch", () => String, { nullable: true, description: ifMatchDescription })
    ifMatch: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<ChangedConfigEntryType> {
    return this.#changes.restore(context, key, version, { ifMatch });
  }
}
