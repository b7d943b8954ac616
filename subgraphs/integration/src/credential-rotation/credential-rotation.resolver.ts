import { Auth } from "@factory/runtime/graphql/auth";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Arg, Ctx, ID, Mutation, Resolver } from "type-graphql";
import { CredentialType } from "../credentials/credentials/credential.type.js";
import { RevokeCredentialInput, RotateCredentialInput, UpdateCredentialInput } from "./credential-rotation.input.js";
import type { CredentialRotationService } from "./credential-rotation.service.js";
import { CredentialRotationType } from "./credential-rotation.type.js";
import type { CredentialUpdateService } from "./credential-update.service.js";

@Resolver(() => CredentialType)
export class CredentialRotationResolver {
  readonly #rotation: CredentialRotationService;
  readonly #updates: CredentialUpdateService;

  constructor(rotation: CredentialRotationService, updates: CredentialUpdateService) {
    this.#rotation = rotation;
    this.#updates = updates;
  }

  @Mutation(() => CredentialRotationType, {
    description:
      "Replaces the secret of a credential. The new version is verified by a run and then used; the former one stays in use for its grace period. A version whose secret only the vendor can create waits for it, and a second request gives it.",
  })
  @Auth({ scopes: ["integration.credentials.rotate"] })
  rotateCredential(
    @Arg("input") input: RotateCredentialInput,
    @Ctx() context: RequestContext,
  ): Promise<CredentialRotationType> {
    return this.#rotation.rotate(context, input);
  }

  @Mutation(() => CredentialRotationType, {
    description:
      "Shows the secret that a scheduled rotation has generated. It is shown once; a repeated response has none.",
  })
  @Auth({ scopes: ["integration.credentials.rotate"] })
  revealSigningSecret(
    @Arg("credentialId", () => ID) credentialId: string,
    @Ctx() context: RequestContext,
  ): Promise<CredentialRotationType> {
    return this.#rotation.reveal(context, credentialId);
  }

  @Mutation(() => CredentialType, {
    description: "Makes the previous version of a credential the current one again, within its grace period.",
  })
  @Auth({ scopes: ["integration.credentials.rotate"] })
  rollbackCredential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#rotation.rollBack(context, credentialId);
  }

  @Mutation(() => CredentialType, {
    description:
      "Makes a credential whose rotation has failed Active again. Its current version was in use all the time.",
  })
  @Auth({ scopes: ["integration.credentials.rotate"] })
  acknowledgeCredentialRotation(
    @Arg("credentialId", () => ID) credentialId: string,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#rotation.acknowledge(context, credentialId);
  }

  @Mutation(() => CredentialType, {
    description: "Changes the expiry, the grace period or the rotation interval of a credential.",
  })
  @Auth({ scopes: ["integration.credentials.write"] })
  updateCredential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Arg("input") input: UpdateCredentialInput,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#updates.update(context, credentialId, input);
  }

  @Mutation(() => CredentialType, {
    description:
      "Revokes a credential for ever: nothing can use it any more, and the secrets of all its versions are destroyed.",
  })
  @Auth({ scopes: ["integration.credentials.write"] })
  revokeCredential(
    @Arg("credentialId", () => ID) credentialId: string,
    @Arg("input", () => RevokeCredentialInput, { nullable: true }) input: RevokeCredentialInput | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<CredentialType> {
    return this.#rotation.revoke(context, credentialId, input?.reason ?? null);
  }
}
