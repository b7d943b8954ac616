import ipaddr from "ipaddr.js";

export interface AddressPolicy {
  allowLoopback: boolean;
  /** Networks the operator opens, although they are not public. */
  allowPrivateCidrs: readonly string[];
}

type Address = ReturnType<typeof ipaddr.parse>;

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
// answers only from inside Azure, from an address that looks public
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

/** Why an IP address is not a public one, or undefined. It never repeats the address: a tenant must not read our DNS. */
export function blockedAddress(ip: string, policy: AddressPolicy): string | undefined {
  // a zone binds to a local interface
  if (!ipaddr.isValid(ip) || ip.includes("%")) return "not an IP address";
  // IPv4 inside IPv6 is judged as IPv4; NAT64, 6to4 and Teredo are refused whatever they carry
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
