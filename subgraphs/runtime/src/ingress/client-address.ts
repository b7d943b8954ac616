import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** Networks of the proxies in front of us: only what they say of a client's address is believed. */
export class TrustedProxies {
  readonly #networks: readonly ReturnType<typeof ipaddr.parseCIDR>[];

  /** Addresses, or networks in CIDR form. */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map((network) => {
      if (network.includes("/")) return ipaddr.parseCIDR(network);
      const address = ipaddr.process(network);
      return [address, address.kind() === "ipv4" ? 32 : 128] as ReturnType<typeof ipaddr.parseCIDR>;
    });
  }

  get none(): boolean {
    return this.#networks.length === 0;
  }

  includes(ip: string): boolean {
    if (!ipaddr.isValid(ip)) return false;
    const address = ipaddr.process(ip);
    return this.#networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits),
    );
  }
}

/** Every string that TrustedProxies takes. */
export const isNetwork = (text: string): boolean =>
  text.includes("/") ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);

const found = new WeakMap<IncomingMessage, string>();

/**
 * Who sent the request, its peer or whom trusted proxies report, as limits count: an IPv4 address, or an IPv6 /64, the
 * least that a site is given (RFC 6177).
 */
export function clientNetworkOf(request: IncomingMessage): string {
  const ip = found.get(request) ?? request.socket.remoteAddress ?? "";
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const site = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`);
  return `${site.toString()}/64`;
}

/**
 * Reads X-Forwarded-For from its end, where each proxy adds the address that it saw: the last one that is no proxy of
 * ours is the client, and whatever stands before it anybody may have written.
 */
export function findClientAddress(request: IncomingMessage, proxies: TrustedProxies): void {
  const peer = request.socket.remoteAddress ?? "";
  if (proxies.none || !proxies.includes(peer)) return;
  const forwarded = request.headers["x-forwarded-for"];
  const hops = (Array.isArray(forwarded) ? forwarded.join(",") : (forwarded ?? "")).split(",").map((hop) => hop.trim());
  const client = hops.findLast((hop) => !proxies.includes(hop));
  if (client !== undefined && ipaddr.isValid(client)) found.set(request, ipaddr.process(client).toString());
}
