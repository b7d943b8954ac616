import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** The networks with the proxies in front of the platform. Only their X-Forwarded-For headers are trusted. */
export class TrustedProxies {
  readonly #networks: readonly ReturnType<typeof ipaddr.parseCIDR>[];

  /** IP addresses, or networks in CIDR notation. */
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

/** Whether TrustedProxies accepts the string. */
export const isNetwork = (text: string): boolean =>
  text.includes("/") ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);

const clientAddresses = new WeakMap<IncomingMessage, string>();

/**
 * The client's address in the form that rate limits use: an IPv4 address, or an IPv6 address's /64 network, since a
 * site gets at least a /64 (RFC 6177).
 */
export function clientNetworkOf(request: IncomingMessage): string {
  return networkOf(clientAddresses.get(request) ?? request.socket.remoteAddress ?? "", parsedNetwork);
}

/** The address in `host:port`, as gRPC names its peers, in the form that rate limits use. */
export const peerNetworkOf = (peer: string): string =>
  networkOf(peer, () => parsedNetwork(peer.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")));

/** Networks by address or peer. Every request asks for its own, and parsing an address is slower than finding it. */
const networks = new Map<string, string>();
const maxNetworks = 1000;

function networkOf(address: string, parse: (address: string) => string): string {
  const knownNetwork = networks.get(address);
  if (knownNetwork !== undefined) return knownNetwork;
  if (networks.size >= maxNetworks) networks.clear();
  const network = parse(address);
  networks.set(address, network);
  return network;
}

function parsedNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const site = ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`);
  return `${site.toString()}/64`;
}

/** A request's address and user agent, for the audit log. */
export const originOfRequest = (request: IncomingMessage) => ({
  address: clientNetworkOf(request),
  userAgent: request.headers["user-agent"],
});

/**
 * Reads X-Forwarded-For from its end, where each proxy adds the address that it saw. The last address that is not a
 * trusted proxy is the client. Addresses before it can be forged.
 */
export function findClientAddress(request: IncomingMessage, proxies: TrustedProxies): void {
  const peer = request.socket.remoteAddress ?? "";
  if (proxies.none || !proxies.includes(peer)) return;
  const forwardedFor = request.headers["x-forwarded-for"];
  const hops = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : (forwardedFor ?? ""))
    .split(",")
    .map((hop) => hop.trim());
  const client = hops.findLast((hop) => !proxies.includes(hop));
  if (client !== undefined && ipaddr.isValid(client)) clientAddresses.set(request, ipaddr.process(client).toString());
}
