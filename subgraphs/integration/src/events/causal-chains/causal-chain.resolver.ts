import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { eventReadScopes } from "@factory/schema/event-names";
import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import { ConnectionType } from "../../connections/connections/connection.type.js";
import { EventSubject } from "../events/event-subject.type.js";
import type { SubjectReferences } from "../events/subject-references.js";
import type { CausalChainService } from "./causal-chain.service.js";
import { CausalChainType, CausalMemberType } from "./causal-chain.type.js";

@Resolver(() => CausalMemberType)
export class CausalChainResolver {
  readonly #chains: CausalChainService;
  readonly #subjects: SubjectReferences;

  constructor(chains: CausalChainService, subjects: SubjectReferences) {
    this.#chains = chains;
    this.#subjects = subjects;
  }

  @Query(() => CausalChainType, {
    description:
      "Everything that shares the correlation id of an event: events, commands, runs, deliveries of vendors and webhooks, at most 500 of the last 7 days.",
  })
  @Auth({ scopes: eventReadScopes })
  causalChain(@Arg("eventId", () => ID) eventId: string, @Ctx() context: RequestContext): Promise<CausalChainType> {
    return this.#chains.chainOf(context, eventId);
  }

  @FieldResolver(() => EventSubject, {
    nullable: true,
    description: "The object that the member is about: the run, the delivery, or the subject of an event.",
  })
  subject(@Root() { subjectPath }: CausalMemberType, @Ctx() context: RequestContext): Promise<object | null> | null {
    return subjectPath === null ? null : this.#subjects.resolve(subjectPath, context);
  }

  @FieldResolver(() => ConnectionType, { nullable: true, description: "The connection that the member used." })
  connection(
    @Root() { connectionId }: CausalMemberType,
    @Ctx() context: RequestContext,
  ): Promise<object | null> | null {
    return connectionId === null ? null : this.#subjects.resolve(`connections/${connectionId}`, context);
  }
}
