import { blockedAddress } from "@factory/runtime/egress/blocked-address";

/** RFC 4291, section 2.5.5.1: deprecated, and never the address of a public host. */
const ipv4CompatibleIpv6 = /^::\d+\.\d+\.\d+\.\d+$/;

type AddressKind = "public" | "loopback" | "blocked";

/** Judges an IP literal. A text that is not an IP address is blocked. */
export function addressKind(address: string): AddressKind {
  if (ipv4CompatibleIpv6.test(address)) return "blocked";
  const policy = { allowLoopback: false, allowPrivateCidrs: [] };
  if (blockedAddress(address, policy) === undefined) return "public";
  return blockedAddress(address, { ...policy, allowLoopback: true }) === undefined ? "loopback" : "blocked";
}
