import { requireOwnPerson } from "@factory/runtime/auth/own-person";
import { Auth } from "@factory/runtime/graphql/auth";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, ID, Mutation, Query, Resolver } from "type-graphql";
import { EndedSessionsType, OwnSessionsType, OwnSessionType } from "./own-session.type.js";
import type { OwnSession, OwnSessions, SessionOwner } from "./own-sessions.js";

@Resolver(() => OwnSessionType)
export class OwnSessionResolver {
  readonly #sessions: OwnSessions;

  constructor(sessions: OwnSessions) {
    this.#sessions = sessions;
  }

  // no scope is needed: a person sees and ends the own sessions only
  @Query(() => OwnSessionsType, {
    description: "The sessions of the caller. Needs a token of a first-party client.",
  })
  @Auth({})
  async ownSessions(@Ctx() context: RequestContext): Promise<OwnSessionsType> {
    return { items: (await this.#sessions.list(ownerOf(context))).map(view) };
  }

  @Mutation(() => EndedSessionsType, {
    description:
      "Ends one session of the caller. With a browser end the applications that were authorized in it. Needs a token of a first-party client.",
  })
  @Auth({})
  async endOwnSession(
    @Arg("sessionId", () => ID) sessionId: string,
    @Ctx() context: RequestContext,
  ): Promise<EndedSessionsType> {
    await this.#sessions.end(ownerOf(context), sessionId);
    return { count: 1 };
  }

  @Mutation(() => EndedSessionsType, {
    description: "Ends all sessions of the caller but the current one. Needs a token of a first-party client.",
  })
  @Auth({})
  async endOtherOwnSessions(@Ctx() context: RequestContext): Promise<EndedSessionsType> {
    return { count: await this.#sessions.endOthers(ownerOf(context)) };
  }
}

function ownerOf(context: RequestContext): SessionOwner {
  const principal = principalOf(context);
  requireOwnPerson(principal);
  const { subject: userId, clientId, grantId } = principal;
  const cause = { trace: context.trace, origin: originOf(context), actorId: userId, principal };
  return { tenant: tenantOf(context), userId, clientId, cause, current: { grantId } };
}

const view = ({ startedAt, lastSeenAt, ...session }: OwnSession): OwnSessionType => ({
  ...session,
  startedAt: startedAt?.toISOString() ?? null,
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
});
