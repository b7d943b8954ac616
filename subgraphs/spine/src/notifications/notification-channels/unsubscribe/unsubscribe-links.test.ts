import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { UnsubscribeLinks } from "./unsubscribe-links.js";

const links = new UnsubscribeLinks(someMasterKeys(7), "https://factory.example");
const ada = { tenantId: "ten_1", userId: null, email: "ada@people.example", category: "news" };
const tokenOf = (url = "") => new URL(url).searchParams.get("token") ?? "";

describe("the link that unsubscribes", () => {
  const url = links.urlFor(ada) ?? "";

  it("names its mails only to this platform", () => {
    expect(url).toMatch(/^https:\/\/factory\.example\/connect\/unsubscribe\?token=[\w.-]+$/);
    expect(links.open(tokenOf(url))).toEqual(ada);
    expect(Buffer.from(tokenOf(url), "base64url").toString("latin1")).not.toContain("people.example");
    expect(new UnsubscribeLinks(someMasterKeys(8), "https://factory.example").open(tokenOf(url))).toBeUndefined();
  });

  it.each(["", "x", ".", "a.b", "x".repeat(100_000), '{"tenantId":"ten_1"}'])("is not opened as %.20j", (token) => {
    expect(links.open(token)).toBeUndefined();
  });

  it("is not opened after a change", () => {
    const token = tokenOf(url);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      expect(links.open(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    }
  });

  it("is absent for mails that cannot be switched off", () => {
    expect(links.urlFor({ ...ada, userId: "usr_1", category: "security" })).toBeUndefined();
    expect(links.urlFor({ ...ada, category: "security" })).toBeDefined();
  });
});
