import { requireOwnPerson } from "@factory/runtime/auth/own-person";
import { Auth } from "@factory/runtime/graphql/auth";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { ChangeOwnPasswordInput, RequestPasswordResetInput, ResetPasswordInput } from "./own-password.input.js";
import type { OwnPassword } from "./own-password.js";
import { PasswordStatusType } from "./own-password.type.js";
import type { PasswordResets } from "./resets/password-resets.js";

const changedStatus: PasswordStatusType = { status: "Changed" };

@Resolver()
export class OwnPasswordResolver {
  readonly #passwords: OwnPassword;
  readonly #resets: PasswordResets;

  constructor(passwords: OwnPassword, resets: PasswordResets) {
    this.#passwords = passwords;
    this.#resets = resets;
  }

  // the stored result for a repeated Idempotency-Key would contain a digest of both passwords
  @Mutation(() => PasswordStatusType, {
    description:
      "Changes the password of the caller, who needs a token of a first-party client. All sessions and tokens of the caller end, also this token. An Idempotency-Key has no effect.",
  })
  @Auth({})
  async changeOwnPassword(
    @Arg("input") input: ChangeOwnPasswordInput,
    @Ctx() context: RequestContext,
  ): Promise<PasswordStatusType> {
    const principal = principalOf(context);
    requireOwnPerson(principal);
    const { subject: userId, clientId } = principal;
    const cause = { trace: context.trace, origin: originOf(context), actorId: userId, principal };
    const { currentPassword, newPassword } = input;
    const tenant = tenantOf(context);
    await this.#passwords.change({ tenant, userId, clientId, cause, currentPassword, newPassword });
    return changedStatus;
  }

  @Mutation(() => PasswordStatusType, {
    description:
      "Mails a link that resets the password within 30 minutes. The answer is the same for every address. A user gets at most three links in an hour. No access token is needed.",
  })
  @Auth({ anonymous: true })
  async requestPasswordReset(
    @Arg("input") input: RequestPasswordResetInput,
    @Ctx() context: RequestContext,
  ): Promise<PasswordStatusType> {
    const { email, tenantSlug } = input;
    const caller = { trace: context.trace, origin: originOf(context) };
    await this.#resets.request(caller, { email, tenant: tenantSlug ?? undefined });
    return { status: "ResetRequested" };
  }

  @Mutation(() => PasswordStatusType, {
    description:
      "Sets a new password with the token of a link, once. All sessions and tokens of the user end; second factors stay. No access token is needed.",
  })
  @Auth({ anonymous: true })
  async resetPassword(
    @Arg("input") input: ResetPasswordInput,
    @Ctx() context: RequestContext,
  ): Promise<PasswordStatusType> {
    await this.#resets.complete({ trace: context.trace, origin: originOf(context) }, input);
    return changedStatus;
  }
}
