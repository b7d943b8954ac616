import { createPrivateKey, type KeyObject } from "node:crypto";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { SignJWT } from "jose";
import type { SecretMaterial } from "../../../credentials/credentials/secret-store.js";
import { credentialUnusable } from "../exchange/call-failure.js";
import { member, optionalMember } from "./material.js";

/** RFC 7523, section 3, asks for a short life. Ten minutes is the limit at GitHub. */
const lifetimeSeconds = 300;

const algorithmOfCurve: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

/** A JWT that the material's private key signs, with `issuer`, `subject` and `audience` (RFC 7523). */
export async function signedAssertion(
  material: SecretMaterial,
  { issuer, subject, audience, now }: { issuer: string; subject: string; audience: string; now: Date },
): Promise<string> {
  const key = privateKeyOf(material);
  const keyId = optionalMember(material, "keyId");
  const alg = optionalMember(material, "algorithm") ?? algorithmOf(key);
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    return await new SignJWT()
      .setProtectedHeader({ alg, typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(audience)
      .setJti(newId("evt"))
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifetimeSeconds)
      .sign(key);
  } catch {
    throw credentialUnusable("The private key of the credential does not fit its algorithm.");
  }
}

function privateKeyOf(material: SecretMaterial): KeyObject {
  const pem = member(material, "privateKey");
  try {
    return createPrivateKey(pem);
  } catch {
    throw credentialUnusable("The private key of the credential cannot be read.");
  }
}

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  const algorithm = algorithmOfCurve[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (algorithm === undefined) throw credentialUnusable("The private key of the credential has an unknown type.");
  return algorithm;
}
