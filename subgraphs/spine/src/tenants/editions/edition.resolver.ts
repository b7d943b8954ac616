import { Auth } from "@factory/runtime/graphql/auth";
import { platformKeyId } from "@factory/runtime/identifiers/key-id";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import { SortArg } from "@factory/runtime/pagination/sort-argument";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from "type-graphql";
import { CreateEditionInput, EditionFilterInput, UpdateEditionInput } from "./edition.input.js";
import { type EditionService, sortedEditions } from "./edition.service.js";
import { EditionConnection, EditionType, EditionVersionType } from "./edition.type.js";

@Resolver(() => EditionType)
export class EditionResolver {
  readonly #editions: EditionService;

  constructor(editions: EditionService) {
    this.#editions = editions;
  }

  @Query(() => EditionConnection, { description: "All editions of the platform." })
  @Auth({ scopes: ["subscription.read", "tenant.read"] })
  editions(
    @Args(() => PageArguments) page: PageArguments,
    @SortArg(sortedEditions) sort: string | null | undefined,
    @Arg("filter", () => EditionFilterInput, { nullable: true }) filter: EditionFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<EditionConnection> {
    return this.#editions.list(context, { ...page, sort, filter });
  }

  @Query(() => EditionType, { description: "One edition of the platform." })
  @Auth({ scopes: ["subscription.read", "tenant.read"] })
  edition(@Arg("code") code: string): Promise<EditionType> {
    return this.#editions.get(code);
  }

  @FieldResolver(() => ID, { description: "An opaque id, by which `node` and clients' caches know the edition." })
  id(@Root() { code }: EditionType): string {
    return platformKeyId("edn", code);
  }

  @FieldResolver(() => [EditionVersionType], {
    nullable: true,
    description: "The latest 50 versions, the newest first. For platform administrators.",
  })
  @Auth({ scopes: ["tenant.read"], platformAdmin: true })
  history(@Root() { code }: EditionType, @Ctx() context: RequestContext): Promise<EditionVersionType[]> {
    return this.#editions.history(context, code);
  }

  @Mutation(() => EditionType, { description: "Adds an edition that tenants can subscribe to." })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  createEdition(@Arg("input") input: CreateEditionInput, @Ctx() context: RequestContext): Promise<EditionType> {
    return this.#editions.create(context, input);
  }

  @Mutation(() => EditionType, {
    description:
      "Changes an edition, which makes its next version. Changed features act for all tenants of the edition within a second.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  updateEdition(
    @Arg("code") code: string,
    @Arg("input") input: UpdateEditionInput,
    @Ctx() context: RequestContext,
  ): Promise<EditionType> {
    return this.#editions.update(context, code, input);
  }

  @Mutation(() => EditionType, {
    description: "Makes an earlier version of an edition current again. It becomes the next version.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  revertEdition(
    @Arg("code") code: string,
    @Arg("version", () => Int) version: number,
    @Ctx() context: RequestContext,
  ): Promise<EditionType> {
    return this.#editions.revert(context, code, version);
  }

  @Mutation(() => EditionType, {
    description:
      "Retires an edition: tenants that have it keep it, and others cannot choose it. revertEdition can undo it.",
  })
  @Auth({ scopes: ["tenant.manage"], platformAdmin: true })
  retireEdition(@Arg("code") code: string, @Ctx() context: RequestContext): Promise<EditionType> {
    return this.#editions.retire(context, code);
  }
}
