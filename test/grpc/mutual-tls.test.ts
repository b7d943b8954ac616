import { once } from "node:events";
import { stat } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { type ConnectionOptions, connect } from "node:tls";
import { type SecretResolver, secretResolver } from "@factory/catalog/secret-resolver";
import { readJson } from "@factory/platform/client/platform-api";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { type ServiceIdentity, serverName } from "@factory/runtime/grpc/service-identity";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

/** The tests call as platform services that run in separate processes. */
describe("the gRPC port", () => {
  const { dataDir } = platform();
  const tls = join(dataDir, "tls");
  const channels: GrpcChannel[] = [];
  let address: string;
  let certificates: ServiceCertificates;
  let tenant: TestTenant;
  let token: string;

  const port = () => Number(address.split(":").at(-1));
  const secretsAs = (identity: ServiceIdentity): SecretResolver => {
    const channel = new GrpcChannel({
      address,
      server: "gateway",
      certificate: certificates[identity],
      timeoutMs: 60_000,
    });
    channels.push(channel);
    return secretResolver(channel);
  };
  /**
   * Whether the server answers this client's request. In TLS 1.3 the server checks the client certificate after the
   * handshake.
   */
  const isHeard = async (options: ConnectionOptions) => {
    const socket = connect({
      host: "127.0.0.1",
      port: port(),
      servername: serverName("gateway"),
      ca: certificates.catalog.authority,
      ALPNProtocols: ["h2"],
      ...options,
    });
    try {
      const heard = once(socket, "data").then(() => true);
      const refusal = new Promise<boolean>((resolve) => socket.once("error", () => resolve(false)));
      heard.catch(() => undefined);
      return await Promise.race([heard, refusal]);
    } finally {
      socket.destroy();
    }
  };

  beforeAll(async () => {
    address = (await readJson<{ grpcAddress: string }>(dataDir, "runtime.json")).grpcAddress;
    certificates = await serviceCertificates(tls);
    tenant = await aTenant();
    token = await tenant.tokenWith("integration.credentials.write");
  });

  afterAll(() => {
    for (const channel of channels) channel.close();
  });

  it("is named in runtime.json, and only the owner can read its keys", async () => {
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect((await stat(join(tls, "ca.key"))).mode & 0o777).toBe(0o600);
  });

  it("refuses a client without a certificate of the platform", async () => {
    const { certificate: cert, key } = certificates.spine;
    expect(await isHeard({ cert, key })).toBe(true);
    expect(await isHeard({})).toBe(false);
  });

  it("has a certificate for localhost and 127.0.0.1", async () => {
    const { certificate: cert, key } = certificates.spine;
    const openTo = (host: string) => isHeard({ cert, key, host, servername: host === "localhost" ? host : "" });
    expect([await openTo("localhost"), await openTo("127.0.0.1")]).toEqual([true, true]);
    expect(await isHeard({ cert, key, servername: "platform.example" })).toBe(false);
  });

  it("refuses connections without TLS", async () => {
    const session = connectHttp2(`http://127.0.0.1:${port()}`).on("error", () => undefined);
    const call = session.request({ ":method": "POST", ":path": "/integration.v1.Secrets/Resolve" });
    const answers: unknown[] = [];
    call.on("response", (headers) => answers.push(headers)).on("error", () => undefined);
    await new Promise<void>((resolve) => session.once("close", () => resolve()));
    expect(answers).toEqual([]);
  });

  it("gives the secret of a tenant to the catalog only", async () => {
    const secret = { username: "robot", password: "for the catalog" };
    const body = { name: "push", kind: "Basic", secret };
    expect((await request("POST /integrations/credentials", { token, body })).status).toBe(201);
    const secretRequest = [tenant.tenantId, "secret://push", "scaffold.push", "executions/exe_test"] as const;
    expect((await secretsAs("catalog").resolve(...secretRequest)).material).toEqual(secret);
    await expect(secretsAs("spine").resolve(...secretRequest)).rejects.toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const { tenantId } = await aTenant();
    await expect(
      secretsAs("catalog").resolve(tenantId, "secret://push", "scaffold.push", "executions/exe_test"),
    ).rejects.toMatchObject({ code: "CREDENTIAL_NOT_FOUND" });
  });
});
