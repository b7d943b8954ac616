import type { Egress } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { driverUrls } from "../provider-drivers/checked-driver.js";
import { type MailServer, mailServerText } from "../provider-drivers/command-template.js";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";

/** The URLs at which a provider's vendor is called. */
export interface Targets {
  readonly baseUrl: string | null;
  readonly driver: ProviderDriver;
}

/** Whether a change gives a provider's URL another origin, so that secrets go to another host or without TLS. */
export function movesOrigin(before: Targets, after: Targets): boolean {
  const originsBefore = originsOf(before);
  return [...originsOf(after)].some(([pointer, origin]) => originsBefore.get(pointer) !== origin);
}

function originsOf({ baseUrl, driver }: Targets): Map<string, string> {
  const urls = [...(baseUrl === null ? [] : [{ pointer: "/baseUrl", url: baseUrl }]), ...driverUrls(driver, "/driver")];
  const origins = new Map(urls.map(({ pointer, url }) => [pointer, URL.canParse(url) ? new URL(url).origin : url]));
  return driver.smtp ? origins.set("/driver/smtp", mailServerText(driver.smtp)) : origins;
}

/** Checks the URLs at which a provider's vendor is called. */
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
    const refusals = urls.flatMap(({ pointer }, index) => {
      const detail = reasons[index];
      return detail === undefined ? [] : [{ pointer, code: "TARGET_BLOCKED", detail }];
    });
    const mailReason = driver?.smtp && (await this.#mailReason(driver.smtp));
    const mail = { pointer: "/input/driver/smtp", code: "TARGET_BLOCKED" };
    const errors = mailReason === undefined ? refusals : [...refusals, { ...mail, detail: mailReason }];
    if (errors.length > 0)
      throw new DomainError("TARGET_BLOCKED", {
        detail: `A URL of the provider is not allowed: ${errors[0]?.detail}.`,
        errors,
      });
    return undefined;
  }

  async #mailReason({ host, port, security }: MailServer): Promise<string | undefined> {
    if (this.#httpsOnly && security === "none") return "mail without TLS";
    return this.#egress.checkMailHost({ host, port });
  }
}
