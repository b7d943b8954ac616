import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";

/** The pages to which vendors send the browser back. The provider's ID follows. */
export const callbackPath = "/integrations/oauth/callback/";

/**
 * The providers' redirect URIs (RFC 6749, section 3.1.2). Each provider has its own, so that a vendor does not send the
 * code for one provider's client to another one's token endpoint (RFC 9700, section 4.4).
 */
export class RedirectUris {
  readonly #publicUrl: string;

  /** `publicUrl` has no slash at its end. */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  of(providerId: string): string {
    return this.#publicUrl + callbackPath + providerId;
  }

  /** Null when the driver names no page where people authorize connections. */
  shown({ providerId, driver }: { readonly providerId: string; readonly driver: ProviderDriver }): string | null {
    return driver.oauth2?.authorizationUrl === undefined ? null : this.of(providerId);
  }
}
