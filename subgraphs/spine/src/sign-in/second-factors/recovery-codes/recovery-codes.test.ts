import { newRecoveryCodes, recoveryCodeDigest } from "./recovery-codes.js";

describe("recovery codes", () => {
  it("are ten different ones, in groups of four", () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([2-9a-hjkmnp-z]{4}-){3}[2-9a-hjkmnp-z]{4}$/);
  });

  it("may be typed in capitals, with spaces and without hyphens", () => {
    const [code = ""] = newRecoveryCodes();
    const digest = recoveryCodeDigest("usr_a", code);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryCodeDigest("usr_a", ` ${code.toUpperCase().replaceAll("-", " ")} `)).toBe(digest);
    expect(recoveryCodeDigest("usr_b", code)).not.toBe(digest);
  });

  it.each(["", "abcd", "a".repeat(17), "a".repeat(10_000)])("are not %j", (text) => {
    expect(recoveryCodeDigest("usr_a", text)).toBeUndefined();
  });
});
