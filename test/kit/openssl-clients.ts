import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceCertificate } from "@factory/runtime/grpc/service-certificates";
import { platform } from "./platform.js";

interface OpensslClient {
  /** The subject alternative names, for example `DNS:product.factory.internal`. */
  readonly names: string;
  /** Whether another authority than the platform's signs the certificate. */
  readonly ownAuthority?: boolean;
}

/** A client certificate as an operator makes it: a key and a request by openssl, signed by an authority. */
export function opensslClient({ names, ownAuthority = false }: OpensslClient): ServiceCertificate {
  const folder = mkdtempSync(join(tmpdir(), "openssl-"));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const tls = join(platform().dataDir, "tls");
  try {
    const authority = ownAuthority ? folder : tls;
    if (ownAuthority)
      openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=own");
    openssl("req", "-new", ...newKey, "-keyout", "client.key", "-out", "client.csr", "-subj", "/CN=client");
    writeFileSync(file("names.cnf"), `subjectAltName=${names}\nextendedKeyUsage=clientAuth\n`);
    const signer = ["-CA", join(authority, "ca.crt"), "-CAkey", join(authority, "ca.key"), "-set_serial", "0x1234"];
    openssl(
      "x509",
      "-req",
      "-in",
      "client.csr",
      ...signer,
      "-days",
      "2",
      "-extfile",
      "names.cnf",
      "-out",
      "client.crt",
    );
    return {
      authority: readFileSync(join(tls, "ca.crt")),
      certificate: readFileSync(file("client.crt")),
      key: readFileSync(file("client.key")),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
