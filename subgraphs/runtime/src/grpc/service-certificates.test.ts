import { X509Certificate } from "node:crypto";
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeServiceCertificate } from "./certificate-authority.js";
import { dayMs, serviceCertificates } from "./service-certificates.js";
import { certificateNames, serviceIdentities } from "./service-identity.js";

describe("certificates of the services", () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const daysFromNow = (days: number) => new Date(Date.now() + days * dayMs);

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "certificates-")), "tls");
  });

  afterEach(() => rm(join(folder, ".."), { recursive: true }));

  it("are signed by one authority and carry the name of one service and of this machine", async () => {
    const certificates = await serviceCertificates(folder);
    for (const identity of serviceIdentities) {
      const { authority, certificate } = certificates[identity];
      const [read, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
      expect(read.subjectAltName).toBe(certificateNames(identity));
      const names = serviceIdentities.filter((name) => read.checkHost(`${name}.factory.internal`) !== undefined);
      expect([names, read.checkHost("localhost")]).toEqual([[identity], "localhost"]);
      expect(["127.0.0.1", "::1", "127.0.0.2"].map((ip) => read.checkIP(ip) !== undefined)).toEqual([
        true,
        true,
        false,
      ]);
      expect(read.ca).toBe(false);
      expect(read.verify(issuer.publicKey) && read.checkIssued(issuer)).toBe(true);
    }
  });

  it("are kept, the keys for their owner alone", async () => {
    const made = await serviceCertificates(folder);
    expect(await serviceCertificates(folder)).toEqual(made);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const keys = (await readdir(folder)).filter((name) => name.endsWith(".key"));
    expect(keys).toHaveLength(serviceIdentities.length + 1);
    for (const key of keys) expect((await stat(file(key))).mode & 0o777).toBe(0o600);
  });

  it("are renewed in the last half of their life under the same authority", async () => {
    const made = await serviceCertificates(folder);
    expect(await serviceCertificates(folder, daysFromNow(364))).toEqual(made);
    const renewed = await serviceCertificates(folder, daysFromNow(366));
    expect(renewed.catalog.certificate).not.toEqual(made.catalog.certificate);
    expect(renewed.catalog.authority).toEqual(made.catalog.authority);
  });

  it("come from a new authority before the old one ends", async () => {
    const made = await serviceCertificates(folder);
    const renewed = await serviceCertificates(folder, daysFromNow(1826));
    expect(renewed.catalog.authority).not.toEqual(made.catalog.authority);
    const issuer = new X509Certificate(renewed.spine.authority);
    expect(new X509Certificate(renewed.spine.certificate).verify(issuer.publicKey)).toBe(true);
  });

  it("are made anew where they lack a name, as those of earlier releases, under the same authority", async () => {
    const made = await serviceCertificates(folder);
    const validity = { notBefore: new Date(), notAfter: daysFromNow(700) };
    const authority = { certificate: made.catalog.authority, key: await readFile(file("ca.key")) };
    const former = await makeServiceCertificate(
      [{ type: "dns", value: "gateway.factory.internal" }],
      authority,
      validity,
    );
    await writeFile(file("gateway.crt"), former.certificate);
    await writeFile(file("gateway.key"), former.key);
    const { gateway, spine } = await serviceCertificates(folder);
    expect(new X509Certificate(gateway.certificate).checkHost("localhost")).toBe("localhost");
    expect([gateway.authority, spine]).toEqual([made.gateway.authority, made.spine]);
  });

  it.each([
    ["a key of another", () => copyFile(file("spine.key"), file("catalog.key"))],
    ["a certificate of another", () => copyFile(file("spine.crt"), file("catalog.crt"))],
    ["a damaged key", () => writeFile(file("catalog.key"), "no key")],
    ["an empty certificate", () => writeFile(file("catalog.crt"), "")],
    ["no certificate", () => rm(file("catalog.crt"))],
  ])("are made anew where there is %s", async (_what, damage) => {
    const made = await serviceCertificates(folder);
    await damage();
    const repaired = await serviceCertificates(folder);
    expect(repaired.catalog.certificate).not.toEqual(made.catalog.certificate);
    expect(repaired.spine).toEqual(made.spine);
    expect(await readFile(file("catalog.key"))).toEqual(repaired.catalog.key);
  });
});
