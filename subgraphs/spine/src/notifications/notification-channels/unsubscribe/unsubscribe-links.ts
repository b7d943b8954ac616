import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { lockedCategories } from "../../notifications/preferences/switched-off.js";
import { unsubscribePath } from "./unsubscribe-path.js";

/** The mails that a link ends. `userId` is null for a recipient who is not one of the tenant's users. */
export interface MailSubscription {
  readonly tenantId: string;
  readonly userId: string | null;
  readonly email: string;
  readonly category: string;
}

type SealedLink = [tenantId: string, userId: string | null, email: string, category: string];

const purpose = "a link that unsubscribes";
/** Longer texts are not decrypted. */
const maxTokenLength = 1500;

/**
 * The links in mails by which recipients unsubscribe without a sign-in (RFC 8058). The token is sealed, so it shows no
 * address and cannot be made elsewhere. It has no expiry, since mails are kept for years.
 */
export class UnsubscribeLinks {
  readonly #seal: ValueSeal;
  readonly #issuer: string;

  constructor(masterKeys: MasterKeys, issuer: string) {
    this.#seal = new ValueSeal(masterKeys.keyring("factory spine unsubscribe links"));
    this.#issuer = issuer;
  }

  /** Undefined for mails that a user cannot switch off. A stranger can switch off all. */
  urlFor({ tenantId, userId, email, category }: MailSubscription): string | undefined {
    if (userId !== null && lockedCategories.includes(category)) return undefined;
    const token = this.#seal.seal(JSON.stringify([tenantId, userId, email, category]), purpose);
    return `${this.#issuer}${unsubscribePath}?token=${token}`;
  }

  /** Undefined for a token that was not made here, or was changed. */
  open(token: string): MailSubscription | undefined {
    if (token.length > maxTokenLength) return undefined;
    try {
      const [tenantId, userId, email, category] = JSON.parse(this.#seal.open(token, purpose).text) as SealedLink;
      return { tenantId, userId, email, category };
    } catch {
      return undefined;
    }
  }
}
