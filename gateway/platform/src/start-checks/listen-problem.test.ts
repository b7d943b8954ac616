import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import { startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { jest } from "@jest/globals";
import { removeData, temporaryDataDirectory } from "../client/platform-process.js";
import { listenProblem, PortInUseError } from "./listen-problem.js";

describe("a server that cannot listen", () => {
  const listener = createServer();
  let port: number;
  let folder: string;
  let certificates: ServiceCertificates;

  beforeAll(async () => {
    // the gRPC library prints before it throws
    jest.spyOn(console, "error").mockReturnValue();
    folder = await temporaryDataDirectory();
    certificates = await serviceCertificates(folder);
    await once(listener.listen(0, "127.0.0.1"), "listening");
    port = (listener.address() as AddressInfo).port;
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await new Promise((resolve) => listener.close(resolve));
    await removeData(folder);
  });

  const tcp = (host: string, at: number) =>
    new Promise<Error>((resolve) => createServer().once("error", resolve).listen(at, host));
  const grpc = (host: string, at: number) =>
    startGrpcServer({
      host,
      port: at,
      services: [],
      certificate: certificates.gateway,
      reflection: false,
      logger: createLogger("test", "silent"),
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
  const addresses = { host: "host.invalid", port: 1, internalPort: 2, grpcPort: 3 };

  it.each(["port", "internalPort", "grpcPort"] as const)("names the port and its setting: %s", async (member) => {
    const setting = { port: "PORT", internalPort: "INTERNAL_PORT", grpcPort: "GRPC_PORT" }[member];
    const problems = [await tcp("127.0.0.1", port), await grpc("127.0.0.1", port)].map((error) =>
      listenProblem(error, { ...addresses, [member]: port }),
    );
    const message = `Port ${port} is in use. Stop the program that listens on it, or set ${setting} to another port.`;
    expect(problems).toEqual([new PortInUseError(message), new PortInUseError(message)]);
  });

  it("names a HOST that is not here, and a port that this user may not take", async () => {
    const problem = new EnvironmentError(
      "HOST=192.0.2.1 is not an address of this machine. Set HOST to one of its addresses.",
    );
    // an address in TEST-NET-1 (RFC 5737)
    const elsewhere = { ...addresses, host: "192.0.2.1" };
    expect(listenProblem(await tcp(elsewhere.host, 0), elsewhere)).toEqual(problem);
    expect(listenProblem(await grpc(elsewhere.host, 0), elsewhere)).toEqual(problem);
    expect(listenProblem(new Error("listen EACCES: permission denied 0.0.0.0:3"), addresses)?.message).toContain(
      "port 3. Set GRPC_PORT",
    );
  });

  it("leaves any other error as it is", () => {
    expect(listenProblem(new Error("EACCES: permission denied, open '/data/secrets.key'"), addresses)).toBeUndefined();
    expect(listenProblem(new Error("something else"), addresses)).toBeUndefined();
    expect(listenProblem(new Error("getaddrinfo ENOTFOUND database.invalid"), addresses)).toBeUndefined();
  });
});
