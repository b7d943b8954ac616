import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { ClientSecrets, secretDigest, secretMatches } from "./client-secret.js";

describe("client secrets", () => {
  it("of a master key that is gone are told to work, but not to be shown", () => {
    const nonce = new ClientSecrets(someMasterKeys(1)).newNonce();
    expect(() => new ClientSecrets(someMasterKeys(2)).derive("cli_a", nonce)).toThrow(
      expect.objectContaining({ code: "SECRET_STORE_UNAVAILABLE" }),
    );
  });

  it("match their own digest only", () => {
    const digest = secretDigest("right");
    expect(secretMatches("right", digest)).toBe(true);
    expect(secretMatches("Right", digest)).toBe(false);
    expect(secretMatches("", digest)).toBe(false);
  });
});
