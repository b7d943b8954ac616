import { relyingPartyOf } from "./relying-party.js";

describe("the relying party", () => {
  it.each([
    ["https://factory.example", "factory.example"],
    ["https://factory.example:8443", "factory.example"],
    ["http://localhost:4000", "localhost"],
    ["http://studio.localhost:4000", "studio.localhost"],
  ])("of %s is %s", (publicUrl, id) => {
    expect(relyingPartyOf(publicUrl)).toEqual({ id, origin: publicUrl });
  });

  it.each([
    "http://127.0.0.1:4000",
    "https://192.0.2.7",
    "http://[::1]:4000",
    "https://[2001:db8::1]",
    "https://0x7f.1",
  ])("does not exist for the address %s", (publicUrl) => {
    expect(relyingPartyOf(publicUrl)).toBeUndefined();
  });

  it("does not exist without TLS on another host than localhost", () => {
    expect(relyingPartyOf("http://factory.example")).toBeUndefined();
    expect(relyingPartyOf("http://localhost.example")).toBeUndefined();
  });
});
