import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { PackageServer } from "../sources/packages/package-server.fixture.js";
import { nupkgOf } from "../sources/packages/zip.fixture.js";
import { SourceReader } from "../sources/source-reader.js";
import { RemoteCredentials } from "./remote-credentials.js";
import { TemplateSources } from "./template-sources.js";

const [owner, stranger] = [tenantWithId(newId("ten")), tenantWithId(newId("ten"))];
const expectedHeader = `Basic ${Buffer.from("x-access-token:sesame").toString("base64")}`;
const options = { timeoutMs: 60_000, subject: "executions/exe_1", trace: continueTrace(undefined) };

describe("TemplateSources", () => {
  let server: PackageServer;
  let reader: SourceReader;
  let downloads: number;
  let requests: unknown[];

  beforeEach(async () => {
    server = await PackageServer.start();
    downloads = 0;
    requests = [];
    server.on("/x.nupkg", (request, response) => {
      if (request.headers.authorization !== expectedHeader) {
        response.writeHead(401).end();
        return;
      }
      downloads += 1;
      response.end(nupkgOf({ "a.txt": "1" }));
    });
    reader = new SourceReader({
      policy: { allowFile: false, fileRoots: [], allowLoopback: true, allowHosts: ["git.example"] },
      nugetFeeds: [],
      logger: createLogger("test", "silent"),
    });
  });
  afterEach(async () => {
    await reader.close();
    await server.stop();
  });

  /** Only the owner has the credential. Each tenant whose credential is requested is recorded. */
  const sourcesFor = (host: string, hosts?: readonly string[]) => {
    const credentials = new RemoteCredentials({
      resolve: async (tenantId, credentialRef, purpose, subject) => {
        requests.push({ tenantId, credentialRef, purpose, subject });
        if (tenantId !== owner.tenantId) throw new DomainError("CREDENTIAL_NOT_FOUND");
        return { kind: "BearerToken", version: 1, material: { token: "sesame", ...(hosts && { hosts }) } };
      },
    });
    return new TemplateSources(reader, credentials, new Map([[host, "secret://packages"]]));
  };

  it("gives a host the tenant's own credential, and its content to no other tenant", async () => {
    const sources = sourcesFor(new URL(server.url).host);
    const { files, resolvedRef } = await sources.read(owner, `nupkg+${server.url}/x.nupkg`, options);
    expect([...files.keys()]).toEqual(["content/a.txt"]);
    expect(requests).toEqual([
      {
        tenantId: owner.tenantId,
        credentialRef: "secret://packages",
        purpose: "template-source",
        subject: options.subject,
      },
    ]);
    await sources.read(owner, resolvedRef, options);
    expect(downloads).toBe(1);
    await expect(sources.read(stranger, resolvedRef, options)).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
    expect(await sources.tryResolve(stranger, `nupkg+${server.url}/x.nupkg`, options)).toBeUndefined();
  });

  it("sends a credential that names its hosts to no other, whatever the operator says", async () => {
    const host = new URL(server.url).host;
    const reference = `nupkg+${server.url}/x.nupkg`;
    await expect(sourcesFor(host, ["elsewhere.example"]).read(owner, reference, options)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
    });
    await expect(sourcesFor(host, [host]).read(owner, reference, options)).resolves.toBeDefined();
  });

  it("sends nothing over plain http that was meant for the host's https", async () => {
    const sources = sourcesFor("Git.Example");
    await sources.tryResolve(owner, "nupkg+http://git.example/#x", options);
    expect(requests).toEqual([]);
    await sources.tryResolve(owner, "nupkg+https://git.example/#x", options);
    expect(requests).toHaveLength(1);
  });

  it("asks for no credential for any other host", async () => {
    const sources = sourcesFor("elsewhere.example");
    await expect(sources.read(owner, `nupkg+${server.url}/x.nupkg`, options)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
    });
    expect(requests).toEqual([]);
  });
});
