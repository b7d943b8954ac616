import { newTotpSecret, stepOfCode, totpAddress } from "./totp-secret.js";

/** RFC 6238 appendix B: the key "12345678901234567890", whose eight-digit codes end with the six-digit ones. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("the code of an authenticator app", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %d seconds is the one of RFC 6238, appendix B: %s", (seconds, code) => {
    expect(stepOfCode(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it("is accepted one step early and one step late, and not two", () => {
    const code = "279037";
    const step = 2_000_000_000 / 30;
    const at = (steps: number) => stepOfCode(secret, code, (2_000_000_000 + steps * 30) * 1000);
    expect([at(-1), at(0), at(1)]).toEqual(Array.from({ length: 3 }, () => Math.floor(step)));
    expect([at(-2), at(2)]).toEqual([undefined, undefined]);
  });

  it("may be typed with spaces, and is nothing else than six digits", () => {
    const nowMs = 2_000_000_000_000;
    expect(stepOfCode(secret, " 279 037 ", nowMs)).toBeDefined();
    for (const code of ["", "27903", "2790370", "27903a", "２７９０３７", "279037\0"])
      expect(stepOfCode(secret, code, nowMs)).toBeUndefined();
  });
});

describe("the secret of an authenticator app", () => {
  it("has 160 random bits", () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  it("stands in the address that apps read, with issuer and account escaped", () => {
    const address = totpAddress(secret, { issuer: "Factory & Co", label: "a:b@example.com" });
    const { protocol, searchParams } = new URL(address);
    expect(protocol).toBe("otpauth:");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      secret,
      issuer: "Factory & Co",
      digits: "6",
      period: "30",
    });
    expect(address).not.toContain(" ");
  });
});
