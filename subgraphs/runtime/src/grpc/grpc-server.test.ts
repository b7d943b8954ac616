import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type ClientHttp2Stream, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { type ResolveRequest, SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";
import { ChannelCredentials } from "@grpc/grpc-js";
import { createChannel, createClient, Status } from "nice-grpc";
import { HealthDefinition } from "nice-grpc-server-health";
import type { Principal } from "../auth/principal.js";
import { DomainError } from "../errors/domain-error.js";
import type { Refusal } from "../messages/refusal.js";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { continueTrace } from "../telemetry/trace.js";
import type { ServiceCallContext } from "./call-boundary.js";
import { GrpcChannel } from "./grpc-channel.js";
import { type GrpcServer, startGrpcServer } from "./grpc-server.js";
import { grpcService } from "./grpc-service.js";
import { type ServiceCertificate, type ServiceCertificates, serviceCertificates } from "./service-certificates.js";
import { type ServiceIdentity, serverName } from "./service-identity.js";

type Handler = (request: ResolveRequest, context: ServiceCallContext) => Promise<{ kind: string }>;

const mebibyte = 1024 * 1024;
const resolvePath = "/integration.v1.Secrets/Resolve";

describe.each(["nice-grpc", "grpc-js itself"])("a gRPC server of the platform, with methods on %s", (way) => {
  let folder: string;
  let certificates: ServiceCertificates;
  let strangers: ServiceCertificates;
  let server: GrpcServer;
  let handle: Handler;
  const channels: GrpcChannel[] = [];
  const logLines: string[] = [];
  const refusals: Refusal[] = [];
  const logger = keepingLogger(logLines);

  const implementation = {
    resolve: (request: ResolveRequest, context: ServiceCallContext) => handle(request, context),
  };
  const start = (drainMs?: number) =>
    startGrpcServer({
      host: "127.0.0.1",
      port: 0,
      certificate: certificates.integration,
      services: [
        grpcService(SecretsDefinition, implementation, ["catalog"], way === "nice-grpc" ? {} : implementation),
      ],
      reflection: true,
      refusals: { note: (refusal) => refusals.push(refusal) },
      logger,
      ...(drainMs === undefined ? {} : { drainMs }),
    });
  const channelTo = (
    port: number,
    identity: ServiceIdentity = "catalog",
    ownCertificates = certificates,
    timeoutMs = 30_000,
  ) => {
    const certificate = { ...ownCertificates[identity], authority: certificates[identity].authority };
    const channel = new GrpcChannel({ address: `127.0.0.1:${port}`, server: "integration", certificate, timeoutMs });
    channels.push(channel);
    return channel;
  };
  const clientOf = (...channelArguments: Parameters<typeof channelTo>) =>
    channelTo(...channelArguments).client(SecretsDefinition);
  const request = (members: Partial<ResolveRequest> = {}) => ({ tenantId: "ten", credentialRef: "a", ...members });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "grpc-"));
    certificates = await serviceCertificates(join(folder, "own"));
    strangers = await serviceCertificates(join(folder, "strange"));
    server = await start();
  });

  beforeEach(() => {
    logLines.length = 0;
    refusals.length = 0;
    handle = async () => ({ kind: "Basic" });
  });

  afterAll(async () => {
    for (const channel of channels) channel.close();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it.each(["localhost", "127.0.0.1"])("is known as %s to a client that checks names as usual", async (host) => {
    const { authority, key, certificate } = certificates.catalog;
    const credentials = ChannelCredentials.createSsl(authority, key, certificate);
    const channel = createChannel(`${host}:${server.port}`, credentials);
    expect(await createClient(SecretsDefinition, channel).resolve(request())).toMatchObject({ kind: "Basic" });
    channel.close();
  });

  it("answers the service that may call", async () => {
    const callers: string[] = [];
    handle = async (_request, { caller }) => {
      callers.push(caller);
      return { kind: "Basic" };
    };
    expect((await clientOf(server.port).resolve(request())).kind).toBe("Basic");
    expect(callers).toEqual(["catalog"]);
  });

  describe("refuses", () => {
    it("a client without a certificate", async () => {
      const credentials = ChannelCredentials.createSsl(certificates.catalog.authority);
      await expect(rawCall(server.port, credentials)).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    });

    it("a client without TLS", async () => {
      await expect(rawCall(server.port, ChannelCredentials.createInsecure())).rejects.toMatchObject({
        code: Status.UNAVAILABLE,
      });
    });

    it("a certificate of another authority", async () => {
      await expect(clientOf(server.port, "catalog", strangers).resolve(request())).rejects.toMatchObject({
        code: "UNAVAILABLE",
      });
    });

    it("an identity that may not call the service, before its message is read", async () => {
      handle = async () => {
        throw new Error("was called");
      };
      const refusal = expect.objectContaining({
        code: "INSUFFICIENT_SCOPE",
        facts: { detail: 'The service "spine" is not allowed to call integration.v1.Secrets.' },
      });
      await expect(clientOf(server.port, "spine").resolve(request())).rejects.toEqual(refusal);
      expect(logLines.join("")).toContain("was refused");
    });

    it("a caller that writes its identity itself", async () => {
      const answer = await post(server.port, certificates.spine, framed(Buffer.alloc(0)), {
        "x-factory-caller": "catalog",
      });
      expect(answer.status).toBe(Status.PERMISSION_DENIED);
    });

    it("a message of 10 MiB", async () => {
      const answer = await post(server.port, certificates.catalog, framed(Buffer.alloc(10 * mebibyte)));
      expect(answer.status).toBe(Status.RESOURCE_EXHAUSTED);
    });

    it("a compressed bomb, without holding what is in it", async () => {
      const bomb = framed(await gzipOfZeroes(256 * mebibyte), true);
      expect(bomb.length).toBeLessThan(mebibyte);
      await post(server.port, certificates.catalog, framed(Buffer.alloc(mebibyte / 2)));
      const before = process.memoryUsage().rss;
      let peak = before;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss);
      }, 1);
      const answer = await post(server.port, certificates.catalog, bomb, { "grpc-encoding": "gzip" });
      clearInterval(watch);
      expect(answer.status).toBe(Status.RESOURCE_EXHAUSTED);
      expect(Math.max(peak, process.memoryUsage().rss) - before).toBeLessThan(16 * mebibyte);
    });

    it("a message that is none", async () => {
      const answer = await post(server.port, certificates.catalog, framed(Buffer.from("ffffffff", "hex")));
      expect(answer.status).toBe(Status.INVALID_ARGUMENT);
    });

    it.each([0, 2])("a call with %s messages", async (count) => {
      handle = async () => {
        throw new Error("was called");
      };
      const messages = Buffer.concat(Array.from({ length: count }, () => framed(Buffer.alloc(0))));
      const answer = await post(server.port, certificates.catalog, messages);
      expect(answer.status).toBe(Status.UNIMPLEMENTED);
      expect(logLines).toEqual([]);
    });

    it("a method it does not have", async () => {
      const path = "/integration.v1.Secrets/Forget";
      const answer = await post(server.port, certificates.catalog, framed(Buffer.alloc(0)), { ":path": path });
      expect(answer.status).toBe(Status.UNIMPLEMENTED);
    });
  });

  describe("its client", () => {
    it("does not talk to a server of another authority", async () => {
      const other = await startGrpcServer({
        host: "127.0.0.1",
        port: 0,
        certificate: { ...strangers.integration, authority: certificates.integration.authority },
        services: [],
        reflection: false,
        logger,
      });
      await expect(clientOf(other.port).resolve(request())).rejects.toMatchObject({ code: "UNAVAILABLE" });
      await other.stop();
    });

    it("does not take one service for another", async () => {
      const channel = new GrpcChannel({
        address: `127.0.0.1:${server.port}`,
        server: "spine",
        certificate: certificates.catalog,
      });
      channels.push(channel);
      await expect(channel.client(SecretsDefinition).resolve(request())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    });

    it("says UNAVAILABLE where nothing listens", async () => {
      await expect(clientOf(1).resolve(request())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    });

    it("sends no message above the bound, and takes none", async () => {
      const large = "x".repeat(mebibyte + 1);
      const refusal = { code: "PAYLOAD_TOO_LARGE" };
      const client = clientOf(server.port);
      await expect(client.resolve(request({ purpose: large }))).rejects.toMatchObject(refusal);
      handle = async () => ({ kind: large });
      await expect(client.resolve(request())).rejects.toMatchObject(refusal);
    });

    it("gives up at its deadline, and the service is told", async () => {
      const client = clientOf(server.port);
      await client.resolve(request()); // a deadline spent on the handshake would never reach the service
      const abortMoment = aMoment();
      let isCalled = false;
      handle = (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          isCalled = true;
          const end = () => {
            abortMoment.resolve();
            reject(new Error("aborted"));
          };
          if (signal.aborted) end();
          else signal.addEventListener("abort", end);
        });
      for (let timeoutMs = 500; !isCalled; timeoutMs *= 2)
        await expect(client.resolve(request(), { timeoutMs })).rejects.toMatchObject({ code: "UPSTREAM_TIMEOUT" });
      await abortMoment.promise;
      expect(logLines).toEqual([]);
    });

    it("ends the call when its caller goes away", async () => {
      const caller = new AbortController();
      handle = (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
          caller.abort();
        });
      await expect(clientOf(server.port).resolve(request(), { signal: caller.signal })).rejects.toMatchObject({
        name: "AbortError",
      });
    });
  });

  it("holds a deadline that only the server keeps", async () => {
    handle = () => new Promise(() => undefined);
    const answer = await post(server.port, certificates.catalog, framed(Buffer.alloc(0)), { "grpc-timeout": "100m" });
    expect(answer.status).toBe(Status.DEADLINE_EXCEEDED);
  });

  it("brings a refusal back as it was thrown", async () => {
    const errors = [{ pointer: "/purpose", code: "REQUIRED", detail: "Must be given." }];
    handle = async () => {
      throw new DomainError("INVALID_STATE", { detail: "Über 100 % Revoked.", errors, currentState: "Revoked" });
    };
    const thrown = await clientOf(server.port)
      .resolve(request())
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DomainError);
    expect(thrown).toMatchObject({
      code: "INVALID_STATE",
      facts: { detail: "Über 100 % Revoked.", errors, currentState: "Revoked" },
    });
    expect(logLines).toEqual([]);
  });

  it("tells the audit log who was refused", async () => {
    const principal = { subject: "usr_1" } as Principal;
    handle = async (_request, { identify }) => {
      identify(principal);
      throw new DomainError("INSUFFICIENT_SCOPE", {});
    };
    const answer = await post(server.port, certificates.catalog, framed(Buffer.alloc(0)), { "user-agent": "one, two" });
    expect(answer.status).toBe(Status.PERMISSION_DENIED);
    const traceId = answer.headers["trace-id"];
    expect(refusals).toMatchObject([
      {
        ...{ operation: `POST ${resolvePath}`, code: "INSUFFICIENT_SCOPE", status: 403, principal },
        ...{ trace: { traceId }, origin: { address: "127.0.0.1", userAgent: "one, two" } },
      },
    ]);
  });

  it("logs a bug and shows nothing of it", async () => {
    handle = async () => {
      throw new Error("secret of the house");
    };
    const answer = await post(server.port, certificates.catalog, framed(Buffer.alloc(0)));
    expect(answer.status).toBe(Status.INTERNAL);
    expect(JSON.stringify(answer.headers)).not.toMatch(/house|at /);
    expect(Buffer.from(String(answer.headers["grpc-status-details-bin"]), "base64").toString()).not.toContain("house");
    expect(logLines.join("")).toContain("secret of the house");
  });

  it("continues the caller's trace", async () => {
    const trace = continueTrace(undefined);
    let handledTraceId = "";
    handle = async (_request, context) => {
      handledTraceId = context.trace.traceId;
      return { kind: "Basic" };
    };
    let answeredTraceId: string | undefined;
    await clientOf(server.port).resolve(request(), {
      trace,
      onTrailer: (trailer) => {
        answeredTraceId = trailer.get("trace-id");
      },
    });
    expect([handledTraceId, answeredTraceId]).toEqual([trace.traceId, trace.traceId]);
  });

  it("tells its health to every service of the platform", async () => {
    const health = channelTo(server.port, "spine").client(HealthDefinition);
    expect((await health.check({ service: "" })).status).toBe(1);
    expect((await health.check({ service: "integration.v1.Secrets" })).status).toBe(1);
    await expect(health.check({ service: "nobody" })).rejects.toMatchObject({ code: "UPSTREAM_FAILED" });
  });

  it("lists its services in development", async () => {
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const listServices = Buffer.from([0x3a, 0x00]);
    const answer = await post(server.port, certificates.gateway, framed(listServices), { ":path": path });
    expect(answer.body.toString()).toContain("integration.v1.Secrets");
  });

  describe("when it stops", () => {
    it("lets calls in flight finish and takes no new ones", async () => {
      const stoppingServer = await start();
      const entry = aMoment();
      const leave = aMoment();
      handle = async () => {
        entry.resolve();
        await leave.promise;
        return { kind: "Late" };
      };
      const inFlight = clientOf(stoppingServer.port).resolve(request());
      await entry.promise;
      const stopping = stoppingServer.stop();
      await expect(clientOf(stoppingServer.port).resolve(request())).rejects.toMatchObject({ code: "UNAVAILABLE" });
      leave.resolve();
      expect((await inFlight).kind).toBe("Late");
      await stopping;
    });

    it("cuts off what does not finish", async () => {
      const stoppingServer = await start(100);
      const entry = aMoment();
      handle = () => {
        entry.resolve();
        return new Promise(() => undefined);
      };
      const inFlight = clientOf(stoppingServer.port)
        .resolve(request())
        .catch((error: unknown) => error);
      await entry.promise;
      await stoppingServer.stop();
      // and not UPSTREAM_TIMEOUT, with which the caller itself would end the call at its deadline
      expect(await inFlight).toMatchObject({ code: "UNAVAILABLE" });
    });

    it("ends health watches at once", async () => {
      const stoppingServer = await start();
      const watch = channelTo(stoppingServer.port)
        .client(HealthDefinition)
        .watch({ service: "" }, { timeoutMs: 60_000 });
      const statuses: number[] = [];
      const watchEnd = (async () => {
        for await (const { status } of watch) {
          statuses.push(status);
          if (statuses.length === 1) void stoppingServer.stop();
        }
      })().catch((error: unknown) => error);
      expect(await watchEnd).toMatchObject({ code: "UNAVAILABLE" });
      expect(statuses[0]).toBe(1);
    });
  });
});

/** Something that will have happened. */
function aMoment(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** As a client that does not know us. */
async function rawCall(port: number, credentials: ChannelCredentials): Promise<unknown> {
  const channel = createChannel(`127.0.0.1:${port}`, credentials, {
    "grpc.ssl_target_name_override": serverName("integration"),
  });
  try {
    return await createClient(SecretsDefinition, channel).resolve({});
  } finally {
    channel.close();
  }
}

function framed(message: Buffer, isCompressed = false): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(isCompressed ? 1 : 0, 0);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

async function gzipOfZeroes(bytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => parts.push(part));
  const zeroes = Buffer.alloc(mebibyte);
  for (let writtenBytes = 0; writtenBytes < bytes; writtenBytes += mebibyte)
    if (!gzip.write(zeroes)) await once(gzip, "drain");
  gzip.end();
  await once(gzip, "end");
  return Buffer.concat(parts);
}

/** One call by hand: our own client would not send these. */
async function post(
  port: number,
  clientCertificate: ServiceCertificate,
  body: Buffer,
  headers: Record<string, string> = {},
) {
  const session = connect(`https://127.0.0.1:${port}`, {
    ca: clientCertificate.authority,
    cert: clientCertificate.certificate,
    key: clientCertificate.key,
    servername: serverName("integration"),
    // Node's own bound, 10 MB, would stop the large message here
    maxSessionMemory: 64,
  });
  try {
    const stream = session.request({
      ":method": "POST",
      ":path": resolvePath,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    return await answerOf(stream, body);
  } finally {
    session.destroy();
  }
}

async function answerOf(stream: ClientHttp2Stream, body: Buffer) {
  const headers: Record<string, unknown> = {};
  const parts: Buffer[] = [];
  stream.on("response", (responseHeaders) => Object.assign(headers, responseHeaders));
  stream.on("trailers", (responseHeaders) => Object.assign(headers, responseHeaders));
  stream.on("data", (part: Buffer) => parts.push(part));
  // a refused upload is reset while it is still being written
  stream.on("error", () => undefined);
  stream.end(body);
  await new Promise<void>((resolve) => stream.once("close", () => resolve()));
  return { status: Number(headers["grpc-status"]), headers: headers, body: Buffer.concat(parts) };
}
