import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { clientNetworkOf, findClientAddress, isNetwork, TrustedProxies } from "./client-address.js";

function addressOf(peer: string, forwardedFor: string | undefined, networks: readonly string[]): string {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers["x-forwarded-for"] = forwardedFor;
  findClientAddress(request, new TrustedProxies(networks));
  return clientNetworkOf(request);
}

describe("whom limits count a request for", () => {
  it.each([
    ["its peer, whatever it claims, when no proxy is trusted", "203.0.113.9", "198.51.100.1", [], "203.0.113.9"],
    ["its peer when that is no trusted proxy", "203.0.113.9", "198.51.100.1", ["10.0.0.0/8"], "203.0.113.9"],
    ["what a trusted proxy saw", "10.1.2.3", "198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
    ["the last hop that is no proxy", "10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9", ["10.0.0.0/8"], "198.51.100.1"],
    ["of a single trusted address", "10.1.2.3", "198.51.100.1", ["10.1.2.3"], "198.51.100.1"],
    ["the site of an IPv6 address", "2001:db8:0:1:2:3:4:5", undefined, [], "2001:db8:0:1::/64"],
    ["the site of what a proxy saw", "::1", "2001:db8::7", ["::1/128"], "2001:db8::/64"],
    ["that of IPv4 in IPv6, of a peer too", "::ffff:203.0.113.9", undefined, [], "203.0.113.9"],
    ["that of IPv4 in IPv6", "::ffff:10.1.2.3", "::ffff:198.51.100.1", ["10.0.0.0/8"], "198.51.100.1"],
    ["the proxy's own when it says nothing", "10.1.2.3", undefined, ["10.0.0.0/8"], "10.1.2.3"],
    ["the proxy's own when it says what is no address", "10.1.2.3", "1.1.1.1, unknown", ["10.0.0.0/8"], "10.1.2.3"],
    ["the proxy's own when all hops are proxies", "10.1.2.3", "10.0.0.1, 10.0.0.2", ["10.0.0.0/8"], "10.1.2.3"],
  ] as const)("is %s", (_, peer, forwardedFor, networks, expectedAddress) => {
    expect(addressOf(peer, forwardedFor, networks)).toBe(expectedAddress);
  });

  it("can be trusted by networks and addresses only", () => {
    expect(["10.0.0.0/8", "::1", "192.0.2.1", "fd00::/8"].every(isNetwork)).toBe(true);
    expect(["proxy.example", "10.0.0.0/40", "*", ""].some(isNetwork)).toBe(false);
  });
});
