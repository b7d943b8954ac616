import { domainToUnicode } from "node:url";
import fc from "fast-check";
import { spellings } from "./internet-names.fixture.js";
import { mailAddress, mailAddressKey, needsSmtpUtf8 } from "./mail-address.js";

describe("the form of an address", () => {
  it.each([
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@BÜCHER.example", "ada@xn--bcher-kva.example"],
    ["ada@bu\u0308cher。example", "ada@xn--bcher-kva.example"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["Zoe\u0308@People.example", "Zoë@people.example"],
    ["o'hara+a@people.example", "o'hara+a@people.example"],
    ["用户@例え.テスト", "用户@xn--r8jz45g.xn--zckzah"],
    ["ada@straße.example", "ada@xn--strae-oqa.example"],
  ])("of %s is %s", (text, address) => {
    expect(mailAddress(text)).toBe(address);
  });

  it.each([
    ["none", "people.example"],
    ["no local part", "@people.example"],
    ["no domain", "ada@"],
    ["a host without a dot", "ada@localhost"],
    ["an empty label", "ada@people..example"],
    ["a dot at the end", "ada@people.example."],
    ["a hyphen at the edge", "ada@-people.example"],
    ["an underscore in the domain", "ada@a_b.example"],
    ["a path in the domain", "ada@people.example/x"],
    ["percent-encoding in the domain", "ada@b%C3%BCcher.example"],
    ["an address of the network in other digits", "ada@１２７.0.0.1"],
    ["a character that no domain may have", "ada@b\u0301\u200dücher.exam\u2f00ple/"],
    ["a local part with a space", "a da@people.example"],
    ["a local part with a space of no width", "a\u200bda@people.example"],
    ["a local part with a mark of direction", "a\u202eda@people.example"],
    ["two dots in the local part", "a..da@people.example"],
    ["a quote", '"ada"@people.example'],
    ["a character that NFC makes a semicolon", "ada\u037e@people.example"],
    ["half a surrogate pair", "a\ud83d@people.example"],
    ["a line break", "ada@people.example\nbob@people.example"],
    ["more than 254 bytes", `${"ü".repeat(125)}@people.example`],
    ["a domain of ten thousand letters", `ada@${"ü".repeat(10_000)}.example`],
  ])("is missing for %s", (_, text) => {
    expect(mailAddress(text)).toBeUndefined();
  });

  it("is one for all spellings of an address, and its own", () => {
    fc.assert(
      fc.property(spellings, ({ address, other }) => {
        const form = mailAddress(address);
        const key = mailAddressKey(address);
        expect([mailAddressKey(other), mailAddressKey(key), mailAddressKey(form ?? "")]).toEqual([key, key, key]);
        expect(mailAddress(form ?? "")).toBe(form);
        const domain = form?.slice(form.lastIndexOf("@") + 1) ?? "";
        expect(domain).toMatch(/^[a-z0-9.-]+$/);
        const shownAddress = `${form?.slice(0, form.lastIndexOf("@"))}@${domainToUnicode(domain)}`;
        expect(mailAddress(shownAddress)).toBe(form);
      }),
      { numRuns: 500 },
    );
  });

  it("of every text has a key that is its own, so that a sign-in with any text finds an answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const key = mailAddressKey(text);
        expect(mailAddressKey(key)).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });

  it("is one for a Greek name in any case, whose last letter has two small forms", () => {
    const names = ["νικος.παπ", "ΝΙΚΟΣ.ΠΑΠ", "Νικος.Παπ", "νικοσ.παπ"];
    expect(new Set(names.map((name) => mailAddressKey(`${name}@people.example`))).size).toBe(1);
  });

  it("tells two people apart whose addresses differ by more than case and form", () => {
    const people = ["zoe@people.example", "zoë@people.example", "zoe@péople.example", "straße@a.example"];
    expect(new Set([...people, "strasse@a.example", "ı@a.example", "i@a.example"].map(mailAddressKey)).size).toBe(7);
  });

  it("needs SMTPUTF8 for its local part only", () => {
    expect(["ada@bücher.example", "zoë@people.example"].map((text) => needsSmtpUtf8(mailAddress(text) ?? ""))).toEqual([
      false,
      true,
    ]);
  });
});
