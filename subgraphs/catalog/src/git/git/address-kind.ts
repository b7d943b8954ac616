import { blockedAddress } from "@factory/runtime/egress/blocked-address";

type AddressKind = "public" | "loopback" | "blocked";

/** Judges an IP literal. A text that is not an IP address is blocked. */
export function addressKind(address: string): AddressKind {
  const policy = { allowLoopback: false, allowPrivateCidrs: [] };
  if (blockedAddress(address, policy) === undefined) return "public";
  return blockedAddress(address, { ...policy, allowLoopback: true }) === undefined ? "loopback" : "blocked";
}
