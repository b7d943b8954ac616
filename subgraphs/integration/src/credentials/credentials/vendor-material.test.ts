import { execFileSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";
import { checkMaterial, materialExpiry } from "./secret-material.js";

const pem = (key: KeyObject) =>
  key.export({ type: key.type === "public" ? "spki" : "pkcs8", format: "pem" }).toString();
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const privateKey = pem(pair.privateKey);
const publicKey = pem(pair.publicKey);
const encryptedKey = pair.privateKey
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
  .toString();

/** The pointers to the refused members. */
function refused(kind: CredentialKind, secret: Record<string, unknown>): string[] {
  try {
    checkMaterial(kind, secret);
    return [];
  } catch (error) {
    const { facts } = error as { facts: { errors: { pointer: string }[] } };
    expect(JSON.stringify(facts)).not.toContain("PRIVATE KEY-----");
    return facts.errors.map(({ pointer }) => pointer.replace("/input/secret", ""));
  }
}

describe("the secret of a vendor", () => {
  it.each<[CredentialKind, Record<string, unknown>]>([
    ["OAuth2Client", { clientId: "a", clientSecret: "b" }],
    ["OAuth2Client", { clientId: "a" }],
    ["OAuth2Client", { clientId: "a", privateKey, keyId: "k" }],
    ["JwtBearer", { issuer: "a", privateKey }],
    ["JwtBearer", { issuer: "a", subject: "b", audience: "c", privateKey, keyId: "k", algorithm: "ES256" }],
    ["HmacSignature", { secret: "a" }],
    ["VendorWebhookSecret", { secret: "a" }],
    ["VendorWebhookSecret", { publicKey }],
    ["VendorWebhookSecret", { publicKey: pair.publicKey.export({ type: "spki", format: "der" }).toString("base64") }],
  ])("of the kind %s may be %j", (kind, secret) => {
    expect(refused(kind, secret)).toEqual([]);
  });

  it.each<[CredentialKind, Record<string, unknown>, string[]]>([
    ["OAuth2Client", { clientSecret: "b" }, ["/clientId"]],
    ["OAuth2Client", { clientId: "a", clientSecret: "b", privateKey }, [""]],
    ["OAuth2Client", { clientId: "a", privateKey: encryptedKey }, ["/privateKey"]],
    ["OAuth2Client", { clientId: "a", privateKey: publicKey }, ["/privateKey"]],
    ["JwtBearer", { issuer: "a", privateKey, algorithm: "HS256" }, ["/algorithm"]],
    ["JwtBearer", { privateKey: "x" }, ["/issuer", "/privateKey"]],
    ["HmacSignature", { keyId: "a" }, ["/secret"]],
    ["VendorWebhookSecret", { publicKey: privateKey }, ["/publicKey"]],
    ["VendorWebhookSecret", { secret: "a", publicKey }, [""]],
    ["MutualTls", { certificate: "x", privateKey }, ["/certificate"]],
  ])("of the kind %s may not be %j", (kind, secret, pointers) => {
    expect(refused(kind, secret)).toEqual(pointers);
  });

  it("for mutual TLS is a certificate with its own key, and expires with it", () => {
    const folder = mkdtempSync(join(tmpdir(), "certificate-"));
    const [key, certificate] = [join(folder, "key"), join(folder, "certificate")];
    const options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3", "-subj", "/CN=a"];
    execFileSync("openssl", ["req", "-x509", ...options, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    const secret = { certificate: readFileSync(certificate, "utf8"), privateKey: readFileSync(key, "utf8") };
    rmSync(folder, { recursive: true });
    expect(refused("MutualTls", secret)).toEqual([]);
    expect(refused("MutualTls", { ...secret, privateKey })).toEqual(["/privateKey"]);
    const days = ((materialExpiry("MutualTls", secret)?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(3, 1);
  });
});
