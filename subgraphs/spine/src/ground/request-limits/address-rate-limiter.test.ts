import type { IncomingMessage } from "node:http";
import { AddressRateLimiter } from "./address-rate-limiter.js";

const from = (remoteAddress: string) => ({ socket: { remoteAddress } }) as unknown as IncomingMessage;

function allowed(rate: AddressRateLimiter, kind: "pages" | "clients", address: string): number {
  let requests = 0;
  while (requests < 2000 && rate.consume(kind, from(address)) === undefined) requests += 1;
  return requests;
}

describe("AddressRateLimiter", () => {
  it("lets 240 requests of an address to the pages through in a minute, and other addresses go on", () => {
    let now = 0;
    const rate = new AddressRateLimiter(1, () => now);
    expect(allowed(rate, "pages", "192.0.2.1")).toBe(240);
    now = 20_000;
    expect(rate.consume("pages", from("192.0.2.1"))).toBe(40);
    expect(rate.consume("pages", from("192.0.2.2"))).toBeUndefined();
    expect(rate.consume("clients", from("192.0.2.1"))).toBeUndefined();
    now = 60_000;
    expect(rate.consume("pages", from("192.0.2.1"))).toBeUndefined();
  });

  it("counts an IPv6 site once", () => {
    const rate = new AddressRateLimiter(1, () => 0);
    expect(allowed(rate, "pages", "2001:db8:0:1::1")).toBe(240);
    expect(rate.consume("pages", from("2001:db8:0:1::2"))).toBe(60);
    expect(rate.consume("pages", from("2001:db8:0:2::1"))).toBeUndefined();
  });

  it("does not count an authenticated client, and takes back no more than its one request", () => {
    const rate = new AddressRateLimiter(1, () => 0);
    for (let time = 0; time < 1000; time += 1) {
      const request = from("192.0.2.1");
      expect(rate.consume("clients", request)).toBeUndefined();
      rate.refundAuthenticated(request);
      rate.refundAuthenticated(request);
    }
    expect(allowed(rate, "clients", "192.0.2.1")).toBe(600);
  });
});
