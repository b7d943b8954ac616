import { Secret, TOTP } from "otpauth";

/** The parameters that every authenticator app supports. Several apps ignore others. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** RFC 4226 section 4 recommends 160 bits. */
const secretBytes = 20;
/** RFC 6238 section 5.2: one step for a clock that differs and for the time that typing takes. */
const allowedSteps = 1;

const codeForm = /^[0-9]{6}$/;

/** A random secret in Base32, as people type it into an app. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The `otpauth` address that an authenticator app reads from a QR code. */
export function totpAddress(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return new TOTP({ ...parameters, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The time step to which the code belongs; undefined for a code without a step close to now. Spaces are ignored. */
export function stepOfCode(secret: string, code: string, nowMs = Date.now()): number | undefined {
  const token = code.replaceAll(/\s/g, "");
  if (!codeForm.test(token)) return undefined;
  const { period } = parameters;
  const delta = TOTP.validate({
    ...parameters,
    token,
    secret: Secret.fromBase32(secret),
    timestamp: nowMs,
    window: allowedSteps,
  });
  return delta === null ? undefined : TOTP.counter({ period, timestamp: nowMs }) + delta;
}
