import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Its own authority, and the certificates that it has signed for a server on 127.0.0.1 and for a client. */
export interface MutualTls {
  readonly ca: string;
  readonly server: { readonly key: string; readonly cert: string };
  readonly client: { readonly key: string; readonly cert: string };
}

export function aMutualTls(): MutualTls {
  const folder = mkdtempSync(join(tmpdir(), "mutual-tls-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const signCertificate = (name: string, extensions: string) => {
    openssl("req", "-new", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    writeFileSync(join(folder, `${name}.cnf`), extensions);
    const signer = ["-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", name === "client" ? "2" : "3", "-days", "2"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signer, "-extfile", `${name}.cnf`, "-out", `${name}.crt`);
    return { key: text(`${name}.key`), cert: text(`${name}.crt`) };
  };
  try {
    openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=own");
    return {
      ca: text("ca.crt"),
      server: signCertificate("server", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"),
      client: signCertificate("client", "subjectAltName=DNS:client\nextendedKeyUsage=clientAuth\n"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
