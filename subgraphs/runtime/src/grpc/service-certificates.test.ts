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
      const [x509, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
      expect(x509.subjectAltName).toBe(certificateNames(identity));
      const names = serviceIdentities.filter((name) => x509.checkHost(`${name}.factory.internal`) !== undefined);
      expect([names, x509.checkHost("localhost")]).toEqual([[identity], "localhost"]);
      expect(["127.0.0.1", "::1", "127.0.0.2"].map((ip) => x509.checkIP(ip) !== undefined)).toEqual([
        true,
        true,
        false,
      ]);
      expect(x509.ca).toBe(false);
      expect(x509.verify(issuer.publicKey) && x509.checkIssued(issuer)).toBe(true);
    }
  });

  it("are kept, the keys for their owner alone", async () => {
    const certificates = await serviceCertificates(folder);
    expect(await serviceCertificates(folder)).toEqual(certificates);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const keys = (await readdir(folder)).filter((name) => name.endsWith(".key"));
    expect(keys).toHaveLength(serviceIdentities.length + 1);
    for (const key of keys) expect((await stat(file(key))).mode & 0o777).toBe(0o600);
  });

  it("are renewed in the last half of their life under the same authority", async () => {
    const certificates = await serviceCertificates(folder);
    expect(await serviceCertificates(folder, daysFromNow(364))).toEqual(certificates);
    const renewedCertificates = await serviceCertificates(folder, daysFromNow(366));
    expect(renewedCertificates.catalog.certificate).not.toEqual(certificates.catalog.certificate);
    expect(renewedCertificates.catalog.authority).toEqual(certificates.catalog.authority);
  });

  it("come from a new authority before the old one ends", async () => {
    const certificates = await serviceCertificates(folder);
    const renewedCertificates = await serviceCertificates(folder, daysFromNow(1826));
    expect(renewedCertificates.catalog.authority).not.toEqual(certificates.catalog.authority);
    const issuer = new X509Certificate(renewedCertificates.spine.authority);
    expect(new X509Certificate(renewedCertificates.spine.certificate).verify(issuer.publicKey)).toBe(true);
  });

  it("are made anew where they lack a name, as those of earlier releases, under the same authority", async () => {
    const certificates = await serviceCertificates(folder);
    const validity = { notBefore: new Date(), notAfter: daysFromNow(700) };
    const authority = { certificate: certificates.catalog.authority, key: await readFile(file("ca.key")) };
    const former = await makeServiceCertificate(
      [{ type: "dns", value: "gateway.factory.internal" }],
      authority,
      validity,
    );
    await writeFile(file("gateway.crt"), former.certificate);
    await writeFile(file("gateway.key"), former.key);
    const { gateway, spine } = await serviceCertificates(folder);
    expect(new X509Certificate(gateway.certificate).checkHost("localhost")).toBe("localhost");
    expect([gateway.authority, spine]).toEqual([certificates.gateway.authority, certificates.spine]);
  });

  it.each([
    ["a key of another", () => copyFile(file("spine.key"), file("catalog.key"))],
    ["a certificate of another", () => copyFile(file("spine.crt"), file("catalog.crt"))],
    ["a damaged key", () => writeFile(file("catalog.key"), "no key")],
    ["an empty certificate", () => writeFile(file("catalog.crt"), "")],
    ["no certificate", () => rm(file("catalog.crt"))],
  ])("are made anew where there is %s", async (_what, damage) => {
    const certificates = await serviceCertificates(folder);
    await damage();
    const repairedCertificates = await serviceCertificates(folder);
    expect(repairedCertificates.catalog.certificate).not.toEqual(certificates.catalog.certificate);
    expect(repairedCertificates.spine).toEqual(certificates.spine);
    expect(await readFile(file("catalog.key"))).toEqual(repairedCertificates.catalog.key);
  });
});
