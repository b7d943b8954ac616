/** The resource that a delivery URL names, so that only its secrets are tried. */
type DeliveryHint = { readonly subscription: string } | { readonly connection: string };

/** The path that takes deliveries with the vendor's own headers and body. The provider's key follows. */
const vendorPath = "/webhooks/deliveries/";

/** The URL that a tenant enters at the vendor. `publicUrl` has no slash at its end. */
export function deliveryUrl(publicUrl: string, providerKey: string, hint: DeliveryHint): string {
  return `${publicUrl}${vendorPath}${providerKey}?${new URLSearchParams({ ...hint }).toString()}`;
}

/** Makes delivery URLs at this platform's address. */
export class DeliveryAddresses {
  readonly #publicUrl: string;

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  of(providerKey: string, hint: DeliveryHint): string {
    return deliveryUrl(this.#publicUrl, providerKey, hint);
  }
}
