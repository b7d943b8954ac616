import { Auth } from "@factory/runtime/graphql/auth";
import { PageArguments } from "@factory/runtime/pagination/page-arguments";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { eventReadScopes } from "@factory/schema/event-names";
import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { EventTypeFilterInput } from "./event-type.input.js";
import type { EventTypeService } from "./event-type.service.js";
import { EventTypeConnection } from "./event-type.type.js";

/** The query `eventTypes`. */
@Resolver()
export class EventTypeResolver {
  readonly #types: EventTypeService;

  constructor(types: EventTypeService) {
    this.#types = types;
  }

  @Query(() => EventTypeConnection, {
    description:
      "The types of events that this release emits, each with an example. The page /docs/events shows them too.",
  })
  @Auth({ scopes: eventReadScopes })
  eventTypes(
    @Args(() => PageArguments) page: PageArguments,
    @Arg("filter", () => EventTypeFilterInput, { nullable: true }) filter: EventTypeFilterInput | null | undefined,
    @Ctx() context: RequestContext,
  ): EventTypeConnection {
    return this.#types.list(context, { ...page, filter });
  }
}
