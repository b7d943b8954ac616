import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { dayMs, type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { sealedInstallationSecrets } from "@factory/runtime/resealing/installation-secrets";
import { Resealer } from "@factory/runtime/resealing/resealer";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";
import { storedAuthority } from "./stored-authority.js";

describe("the certificate authority of several processes", () => {
  const folders: string[] = [];
  const masterKeys = someMasterKeys(1);
  let database: SuiteDatabase;
  let admin: pg.Client;

  const aFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), "authority-"));
    folders.push(folder);
    return folder;
  };

  /** The certificates that a process with this folder starts with. */
  const start = async (folder: string, keys = masterKeys, now = new Date()): Promise<ServiceCertificates> =>
    serviceCertificates(folder, now, await storedAuthority(database.url, keys, folder, now));

  const isTrusted = (certificate: Buffer, { catalog: { authority } }: ServiceCertificates) => {
    const leafCertificate = new X509Certificate(certificate);
    const authorities = authority.toString().match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n/g) ?? [];
    return authorities.some((authorityPem) => leafCertificate.verify(new X509Certificate(authorityPem).publicKey));
  };

  beforeEach(async () => {
    database = await aSuiteDatabase("provisioned");
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
  });

  afterEach(async () => {
    await admin.end();
    await database.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  it("is one, also where they start at the same time over an empty database", async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(async () => start(await aFolder())));
    for (const other of [second, third]) {
      expect(other?.catalog.authority).toEqual(first?.catalog.authority);
      expect(other?.catalog.certificate).not.toEqual(first?.catalog.certificate);
    }
    const { rows } = await admin.query<{ sealed: string }>("select sealed from installation.grpc_authorities");
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed).not.toContain("PRIVATE");
    expect(Buffer.from(rows[0]?.sealed.split(".")[1] ?? "", "base64url").toString("latin1")).not.toContain("PRIVATE");
  });

  it("is that of a folder of the release before, so that certificates of products stay valid", async () => {
    const folder = await aFolder();
    const before = await serviceCertificates(folder);
    expect(await start(folder)).toEqual(before);
    const other = await start(await aFolder());
    expect(isTrusted(before.product.certificate, other)).toBe(true);
    expect(isTrusted(other.gateway.certificate, before)).toBe(true);
  });

  it("trusts those of further processes of the release before, and gives its own certificates to them", async () => {
    const [firstFolder, secondFolder] = [await aFolder(), await aFolder()];
    const first = await serviceCertificates(firstFolder);
    const second = await serviceCertificates(secondFolder);
    await start(firstFolder);
    const now = await start(secondFolder);
    expect(isTrusted(second.product.certificate, now)).toBe(true);
    expect(isTrusted(first.product.certificate, now)).toBe(true);
    expect(isTrusted(now.gateway.certificate, first)).toBe(true);
    // from now on the first one knows the other authority too
    expect((await start(firstFolder)).catalog.authority).toEqual(now.catalog.authority);
    expect(await readFile(join(secondFolder, "ca.key"))).toEqual(await readFile(join(firstFolder, "ca.key")));
  });

  it("is replaced before it ends, and stays trusted until then", async () => {
    const folder = await aFolder();
    const before = await start(folder);
    const late = new Date(Date.now() + 1900 * dayMs);
    const after = await start(folder, masterKeys, late);
    expect(isTrusted(after.catalog.certificate, before)).toBe(false);
    expect(isTrusted(before.catalog.certificate, after)).toBe(true);
    expect((await start(await aFolder(), masterKeys, late)).catalog.authority).toEqual(after.catalog.authority);
  });

  it("is sealed again under a new SECRETS_KEY, and a value of another row is refused", async () => {
    const folder = await aFolder();
    const before = await start(folder);
    await expect(start(folder, someMasterKeys(2))).rejects.toThrow(/certificate authority cannot be opened/);
    const pool = new pg.Pool({ connectionString: schemaConnections(database.access, "spine").worker });
    const keys = someMasterKeys(2, 1);
    const tables = sealedInstallationSecrets(keys).filter(({ table }) => table === "installation.grpc_authorities");
    const quiet = createLogger("test", "silent");
    const [result] = await new Resealer({ pool, schema: "spine" }, tables, quiet).run();
    expect(result).toMatchObject({ found: 1, renewed: 1, left: 0 });
    expect(await start(folder, someMasterKeys(2))).toEqual(before);
    await pool.query(
      "update installation.grpc_authorities set sealed = (select sealed from installation.role_secrets)",
    );
    await pool.end();
    await expect(start(folder, someMasterKeys(2))).rejects.toThrow();
  });
});
