import type { WebhookHeaders } from "../ground/standard-webhooks/webhook-signature.js";

/** A test delivery as a receiver would get it. */
interface Echo {
  readonly headers: WebhookHeaders;
  readonly body: string;
}

/** Signs a tenant's test delivery with these secrets, newest first, by the code that signs real deliveries. */
type SignEcho = (tenantId: string, secrets: readonly string[], now: Date) => Echo;

/** The slice that sends webhooks registers here how it signs, so that a new signing secret is verified by it. */
export class SignedEcho {
  #sign: SignEcho | undefined;

  use(sign: SignEcho): void {
    this.#sign = sign;
  }

  sign(tenantId: string, secrets: readonly string[], now: Date): Echo {
    if (!this.#sign) throw new Error("No slice has registered how deliveries are signed.");
    return this.#sign(tenantId, secrets, now);
  }
}
