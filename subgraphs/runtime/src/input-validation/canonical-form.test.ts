import { blockedUrl } from "../egress/blocked-url.js";
import { canonicalForm } from "./canonical-form.js";
import { inputValidator } from "./input-validator.js";

const schema = {
  type: "object",
  properties: {
    email: { type: "string", format: "idn-email", maxLength: 254 },
    urls: { type: ["array", "null"], items: { type: "string", format: "iri" } },
    domains: { anyOf: [{ type: "array", uniqueItems: true, items: { format: "idn-hostname" } }, { type: "null" }] },
    inner: { type: "object", properties: { url: { type: ["string", "null"], format: "iri" } } },
    note: { type: "string" },
  },
};
const form = canonicalForm(schema);
const problems = inputValidator(schema);

describe("the form of a value", () => {
  it("changes addresses, host names and URLs wherever they are, and nothing else", () => {
    const value = {
      email: "ada@bücher.example",
      urls: ["https://bücher.example/hook", "https://example.com/"],
      domains: ["BÜCHER.example"],
      inner: { url: "https://BÜCHER.example" },
      note: "ada@bücher.example",
    };
    expect(form(value)).toEqual({
      email: "ada@xn--bcher-kva.example",
      urls: ["https://xn--bcher-kva.example/hook", "https://example.com/"],
      domains: ["xn--bcher-kva.example"],
      inner: { url: "https://xn--bcher-kva.example" },
      note: "ada@bücher.example",
    });
    expect(problems(value)).toEqual([]);
  });

  it("is the same value where nothing changes, whatever it holds", () => {
    for (const value of [
      { email: "ada@x.example", urls: null, inner: null },
      [],
      null,
      "x",
      { urls: [7, {}] },
      { email: {} },
    ])
      expect(form(value)).toBe(value);
  });

  it("leaves a text that has none, which the validator refuses", () => {
    const value = { email: "ada@", urls: ["/path"], domains: ["a b"], inner: { url: "https://ü ü/" } };
    expect(form(value)).toBe(value);
    expect(problems(value).map(({ pointer, code, detail }) => `${pointer} ${code} ${detail}`)).toEqual([
      "/email FORMAT Must be an e-mail address.",
      "/urls/0 FORMAT Must be an absolute URL.",
      "/domains/0 FORMAT Must be a domain, for example example.com.",
      "/domains TYPE Must be of type null.",
      "/domains FORMAT The value must match a schema in anyOf.",
      "/inner/url FORMAT Must be an absolute URL.",
    ]);
  });

  it("of two spellings of one domain is a duplicate", () => {
    const value = form({ domains: ["bücher.example", "xn--bcher-kva.example"] });
    expect(problems(value)[0]).toMatchObject({ pointer: "/domains", code: "DUPLICATE" });
  });

  it("hides no blocked host", () => {
    const policy = { allowLoopback: false, allowPrivateCidrs: [] };
    for (const host of [
      "ｌocalhost",
      "LOCALHOST",
      "ⓛocalhost",
      "a.ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
      "127。0。0。1",
      "１２７.0.0.1",
      "[::ffff:127.0.0.1]",
    ]) {
      const text = `https://${host}/hook`;
      const url = (form({ urls: [text] }) as { urls: string[] }).urls[0] ?? "";
      expect([host, problems({ urls: [text] }).length > 0 || blockedUrl(url, policy) !== undefined]).toEqual([
        host,
        true,
      ]);
    }
  });
});
