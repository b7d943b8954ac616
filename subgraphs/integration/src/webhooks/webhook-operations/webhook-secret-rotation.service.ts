import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialRotationService } from "../../credential-rotation/credential-rotation.service.js";
import type { CredentialRotationType } from "../../credential-rotation/credential-rotation.type.js";
import { unknownSubscription } from "../webhook-subscriptions/locked-subscription.js";
import type { StoredSubscriptionRow } from "../webhook-subscriptions/webhook-subscription.view.js";
import { secretOfSubscription } from "./subscription-secret-statement.js";
import type { RotateWebhookSecretInput } from "./webhook-secret-rotation.input.js";

type SecretRow = Pick<StoredSubscriptionRow, "status" | "credential_id">;

/** Rotates a webhook subscription's secret, which is in the credential that the subscription names. */
export class WebhookSecretRotationService {
  readonly #database: Database;
  readonly #rotation: CredentialRotationService;

  constructor(database: Database, rotation: CredentialRotationService) {
    this.#database = database;
    this.#rotation = rotation;
  }

  async rotate(
    context: RequestContext,
    subscriptionId: string,
    input: RotateWebhookSecretInput | null | undefined,
  ): Promise<CredentialRotationType> {
    requireSameTenant(context, input?.tenantId);
    const uuid = decodeId("whs", subscriptionId);
    const { reader } = this.#database;
    const row =
      uuid === undefined ? undefined : await reader.row<SecretRow>(secretOfSubscription, tenantOf(context), uuid);
    if (!row) throw unknownSubscription();
    if (row.credential_id === null)
      throw new DomainError("INVALID_STATE", {
        detail: "The subscription has no secret, because its vendor signs with a key of its own.",
        currentState: row.status,
      });
    const credentialId = encodeId("crd", row.credential_id);
    const { reason = null, secret = null, graceSeconds = null } = input ?? {};
    const rotation = { credentialId, reason, secret, graceSeconds };
    return this.#rotation.rotate(context, rotation, "rotateWebhookSubscriptionSecret");
  }
}
