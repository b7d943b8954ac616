import type { IncomingMessage } from "node:http";
import { AddressRateLimiter } from "./address-rate-limiter.js";

const from = (remoteAddress: string) => ({ socket: { remoteAddress } }) as unknown as IncomingMessage;

function allowed(rate: AddressRateLimiter, kind: "pages" | "clients", address: string): number {
  let requests = 0;
  while (requests < 2000 && rate.spend(kind, from(address)) === undefined) requests += 1;
  return requests;
}

describe("AddressRateLimiter", () => {
  it("lets 240 requests of an address to the pages through in a minute, and other addresses go on", () => {
    let now = 0;
    const rate = new AddressRateLimiter(1, () => now);
    expect(allowed(rate, "pages", "192.0.2.1")).toBe(240);
    now = 20_000;
    expect(rate.spend("pages", from("192.0.2.1"))).toBe(40);
    expect(rate.spend("pages", from("192.0.2.2"))).toBeUndefined();
    expect(rate.spend("clients", from("192.0.2.1"))).toBeUndefined();
    now = 60_000;
    expect(rate.spend("pages", from("192.0.2.1"))).toBeUndefined();
  });

  it("counts an IPv6 site once", () => {
    const rate = new AddressRateLimiter(1, () => 0);
    expect(allowed(rate, "pages", "2001:db8:0:1::1")).toBe(240);
    expect(rate.spend("pages", from("2001:db8:0:1::2"))).toBe(60);
    expect(rate.spend("pages", from("2001:db8:0:2::1"))).toBeUndefined();
  });

  it("does not count a client that proved who it is, and takes back no more than its one request", () => {
    const rate = new AddressRateLimiter(1, () => 0);
    for (let request = 0; request < 1000; request += 1) {
      const proven = from("192.0.2.1");
      expect(rate.spend("clients", proven)).toBeUndefined();
      rate.proven(proven);
      rate.proven(proven);
    }
    expect(allowed(rate, "clients", "192.0.2.1")).toBe(600);
  });
});
