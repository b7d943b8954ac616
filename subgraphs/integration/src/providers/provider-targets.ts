import type { Egress } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { driverUrls } from "./checked-driver.js";
import type { ProviderDriver } from "./provider-driver.js";

/** Checks the URLs at which the vendor of a provider is called. */
export class ProviderTargets {
  readonly #egress: Egress;
  readonly #httpsOnly: boolean;

  constructor(egress: Egress, httpsOnly: boolean) {
    this.#egress = egress;
    this.#httpsOnly = httpsOnly;
  }

  /** Throws TARGET_BLOCKED with each URL that the client for outgoing requests would not call. */
  async refuseBlocked(baseUrl: string | null | undefined, driver: ProviderDriver | null): Promise<undefined> {
    const urls = [
      ...(baseUrl == null ? [] : [{ pointer: "/input/baseUrl", url: baseUrl }]),
      ...(driver === null ? [] : driverUrls(driver, "/input/driver")),
    ];
    const reasons = await Promise.all(urls.map(({ url }) => this.#egress.check(url, { httpsOnly: this.#httpsOnly })));
    const errors = urls.flatMap(({ pointer }, index) => {
      const detail = reasons[index];
      return detail === undefined ? [] : [{ pointer, code: "TARGET_BLOCKED", detail }];
    });
    if (errors.length > 0)
      throw new DomainError("TARGET_BLOCKED", {
        detail: `A URL of the provider is not allowed: ${errors[0]?.detail}.`,
        errors,
      });
    return undefined;
  }
}
