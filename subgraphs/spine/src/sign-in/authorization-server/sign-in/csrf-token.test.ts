import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { CsrfTokens } from "./csrf-token.js";

const tokens = (...numbers: [number, ...number[]]) =>
  new CsrfTokens(someMasterKeys(...numbers).keyring("factory spine forms"));

describe("form tokens", () => {
  it("of a form from before a new master key are accepted while the former key is configured", () => {
    const token = tokens(1).create("uid", "login");
    expect(tokens(2, 1).matches(token, "uid", "login")).toBe(true);
    expect(tokens(2, 1).matches(token, "uid", "consent")).toBe(false);
    expect(tokens(2).matches(token, "uid", "login")).toBe(false);
    expect(tokens(2, 1).create("uid", "login")).toBe(tokens(2).create("uid", "login"));
  });
});
