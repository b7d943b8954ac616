import fc from "fast-check";
import { asciiUrl } from "./ascii-url.js";
import { asciiAuthority } from "./host-name.js";

describe("the form of a URL", () => {
  it.each([
    ["https://bücher.example/hook", "https://xn--bcher-kva.example/hook"],
    ["https://b%C3%BCcher.example/hook", "https://xn--bcher-kva.example/hook"],
    ["https://BÜCHER.example:8443/Größe?q=ä#ö", "https://xn--bcher-kva.example:8443/Gr%C3%B6%C3%9Fe?q=%C3%A4#%C3%B6"],
    ["HTTPS://Example.COM/Hook", "HTTPS://example.com/Hook"],
    ["ssh://git@bücher.example/o/r.git", "ssh://git@xn--bcher-kva.example/o/r.git"],
    ["https://example.com", "https://example.com"],
    ["https://a_b.example/x", "https://a_b.example/x"],
    ["http://[::1]:4000/x", "http://[::1]:4000/x"],
    ["https://example.com/a%2Fb/../c?d", "https://example.com/a%2Fb/../c?d"],
    ["file:///srv/ünder", "file:///srv/%C3%BCnder"],
    ["acme/orders", "acme/orders"],
  ])("%s is %s", (text, url) => {
    expect(asciiUrl(text)).toBe(url);
  });

  it.each([
    "https://bü cher.example/",
    "https://ü\u200bx.example/",
    "https://１２７.0.0.1/",
    `https://${encodeURIComponent("１２７.0.0.1")}/`,
    `https://${encodeURIComponent("exa\u00admple\u200b.com")}/`,
    "https://a.example/\ud83d",
  ])("is missing for %j", (text) => {
    expect(asciiUrl(text)).toBeUndefined();
  });

  it("names the same resource as the URL that was written, for the parser that opens the connection", () => {
    const host = fc.constantFrom(
      "bücher.example",
      "例え.テスト",
      "Straße.Example",
      "b%C3%BCcher.example",
      "x.example",
      "[::1]",
    );
    const rest = fc.string({ unit: fc.constantFrom(...Array.from("aä/?#%&=é文 .")) });
    fc.assert(
      fc.property(host, rest, (name, path) => {
        const text = `https://${name}/${path}`;
        expect(new URL(asciiUrl(text) ?? "").href).toBe(new URL(text).href);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the form of a host with its port", () => {
  it.each([
    ["BÜCHER.example:8443", "xn--bcher-kva.example:8443"],
    ["Git.Example", "git.example"],
    ["[2606:4700::A]:443", "[2606:4700::a]:443"],
    ["a_b.Example", "a_b.example"],
  ])("%s is %s", (text, authority) => {
    expect(asciiAuthority(text)).toBe(authority);
  });
});
