import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressPolicy {
  allowLoopback: boolean;
  /** Networks that are not public and that the operator allows. */
  allowPrivateCidrs: readonly string[];
}

type Address = ReturnType<typeof ipaddr.parse>;

/** RFC 4291, section 2.5.5.1: deprecated, and never a public host's address. */
const ipv4CompatibleIpv6 = /^::\d+\.\d+\.\d+\.\d+$/;

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
// Azure's metadata service has an address that looks public.
const azureHost = "168.63.129.16";

const wordsOfRange: Record<string, string> = {
  unspecified: "an unspecified",
  broadcast: "a broadcast",
  multicast: "a multicast",
  linkLocal: "a link-local",
  loopback: "a loopback",
  private: "a private",
  uniqueLocal: "a private",
  carrierGradeNat: "a carrier-grade NAT",
};

/**
 * The reason why an IP address is blocked, or undefined. It never contains the address, so that tenants cannot read our
 * DNS.
 */
export function blockedAddress(ip: string, policy: AddressPolicy): string | undefined {
  // An IPv6 zone names a local interface. ipaddr.js also accepts old IPv4 spellings, for example 0x7f.1.
  if (isIP(ip) === 0 || !ipaddr.isValid(ip) || ip.includes("%")) return "not an IP address";
  // ipaddr.js reads ::8.8.8.8 as 8.8.8.8, but a socket connects to the IPv6 address ::808:808.
  if (ipv4CompatibleIpv6.test(ip)) return "a reserved address";
  // An IPv4 address mapped into IPv6 is checked as IPv4. NAT64, 6to4 and Teredo addresses are always refused.
  const address = ipaddr.process(ip);
  if (policy.allowPrivateCidrs.some((cidr) => isWithin(address, cidr))) return undefined;
  const range = address.range();
  if (range === "loopback" && policy.allowLoopback) return undefined;
  if (range !== "unicast") return `${wordsOfRange[range] ?? "a reserved"} address`;
  const outsideGlobal = address.kind() === "ipv6" && !address.match(globalUnicast);
  if (outsideGlobal || address.toString() === azureHost) return "a reserved address";
  return undefined;
}

function isWithin(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network, bits);
}
