import { ClientSecrets, secretDigest, secretMatches } from "./client-secret.js";

describe("client secrets", () => {
  const secrets = new ClientSecrets(Buffer.alloc(32, 1));

  it("can be derived again from the same key, client and nonce only", () => {
    const nonce = secrets.newNonce();
    const secret = secrets.derive("cli_a", nonce);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(secrets.derive("cli_a", nonce)).toBe(secret);
    expect(secrets.derive("cli_b", nonce)).not.toBe(secret);
    expect(secrets.derive("cli_a", secrets.newNonce())).not.toBe(secret);
    expect(new ClientSecrets(Buffer.alloc(32, 2)).derive("cli_a", nonce)).not.toBe(secret);
  });

  it("match their own digest only", () => {
    const digest = secretDigest("right");
    expect(secretMatches("right", digest)).toBe(true);
    expect(secretMatches("Right", digest)).toBe(false);
    expect(secretMatches("", digest)).toBe(false);
  });
});
