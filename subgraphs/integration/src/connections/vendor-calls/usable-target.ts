import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { callableStates } from "../connections/connection-references.js";
import type { CallPurpose, VendorConnection } from "./exchange/vendor-call.js";

/** A connection without a valid authorization is refused by the vendor, if at all. */
const usableConnections: readonly string[] = ["Active", "AuthorizationRequired"];

/** Throws PROVIDER_NOT_FOUND, or INVALID_STATE for a provider that must not be called. */
export function requireUsableProvider(provider: ProviderRecord | undefined): ProviderRecord {
  if (!provider)
    throw new DomainError("PROVIDER_NOT_FOUND", { detail: "The provider of the connection does not exist." });
  const { status } = provider;
  if (callableStates.includes(status)) return provider;
  throw new DomainError("INVALID_STATE", {
    detail: `The provider of the connection is ${status}, so it is not called.`,
    currentState: status,
    allowed: callableStates,
  });
}

/** Throws INVALID_STATE for a connection that was stopped. A probe may still find out whether it works. */
export function requireUsableConnection({ status }: VendorConnection, purpose: CallPurpose): void {
  if (purpose === "probe" || usableConnections.includes(status)) return;
  throw new DomainError("INVALID_STATE", {
    detail: `The connection is ${status}, so its vendor is not called.`,
    currentState: status,
    allowed: usableConnections,
  });
}
