import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isKnownHosts, isSshPrivateKey } from "./ssh-material.js";

/** As its owner makes one. */
function sshKeygen(...args: string[]): { privateKey: string; publicKey: string } {
  const folder = mkdtempSync(join(tmpdir(), "ssh-"));
  try {
    execFileSync("ssh-keygen", ["-q", "-C", "", ...args, "-f", join(folder, "key")], { stdio: "ignore" });
    return {
      privateKey: readFileSync(join(folder, "key"), "utf8"),
      publicKey: readFileSync(join(folder, "key.pub"), "utf8").trim(),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ed25519 = sshKeygen("-t", "ed25519", "-N", "");
const pkcs8 = { type: "pkcs8", format: "pem" } as const;

describe("a private key for ssh", () => {
  it.each([
    ["OpenSSH's own format", ed25519.privateKey],
    ["OpenSSH's own format with ECDSA", sshKeygen("-t", "ecdsa", "-N", "").privateKey],
    ["PKCS #1", sshKeygen("-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "").privateKey],
    ["PKCS #8", generateKeyPairSync("ed25519").privateKey.export(pkcs8).toString()],
  ])("is taken in %s", (_format, key) => {
    expect(isSshPrivateKey(key)).toBe(true);
    expect(isSshPrivateKey(key.replaceAll("\n", "\r\n"))).toBe(true);
  });

  it.each([
    ["a key behind a passphrase", sshKeygen("-t", "ed25519", "-N", "passphrase").privateKey],
    ["a PEM key behind a passphrase", sshKeygen("-t", "rsa", "-m", "PEM", "-N", "passphrase").privateKey],
    ["a public key", ed25519.publicKey],
    ["a cut-off key", `${ed25519.privateKey.slice(0, 40)}\n-----END OPENSSH PRIVATE KEY-----\n`],
    ["a damaged PEM key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ["nothing", ""],
  ])("is not %s", (_what, key) => {
    expect(isSshPrivateKey(key)).toBe(false);
  });
});

describe("known hosts", () => {
  it.each([
    ["a name", `git.example.com ${ed25519.publicKey}`],
    ["a name with a port and an address", `[git.example.com]:2222,192.0.2.1 ${ed25519.publicKey}`],
    ["a hashed name", `|1|c2FsdHNhbHQ=|aGFzaGhhc2g= ${ed25519.publicKey}`],
    ["a marker", `@cert-authority *.example.com ${ed25519.publicKey}`],
    ["comments and blank lines", `# ours\n\ngit.example.com ${ed25519.publicKey} a comment\n`],
  ])("may hold %s", (_what, text) => {
    expect(isKnownHosts(text)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["only a comment", "# git.example.com"],
    ["a key without a host", ed25519.publicKey],
    ["a host without a key", "git.example.com"],
    ["a key of another type than it says", `git.example.com ${ed25519.publicKey.replace("ssh-ed25519", "ssh-rsa")}`],
    ["a good line and a bad one", `git.example.com ${ed25519.publicKey}\ngit.example.com`],
  ])("are not %s", (_what, text) => {
    expect(isKnownHosts(text)).toBe(false);
  });
});
