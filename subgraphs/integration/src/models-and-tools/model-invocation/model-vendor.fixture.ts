import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { ModelInvocationDefinition } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { IntegrationCaller, IntegrationFixture } from "../../integration.fixture.js";

/** A request as the vendor has received it. */
interface ReceivedModelRequest {
  readonly path: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
  readonly closedAt: number | null;
  readonly pieces: number;
}

/** A model vendor, which is its own process. */
export async function aModelServer() {
  const script = fileURLToPath(new URL("model-server.fixture.ts", import.meta.url));
  const child = spawn(process.execPath, ["--no-warnings", script], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const origin = `http://127.0.0.1:${port}`;
  return {
    baseUrl: `${origin}/v1`,
    /** The requests with this model, oldest first. */
    async requests(model: string): Promise<ReceivedModelRequest[]> {
      const all = (await (await fetch(`${origin}/stats`)).json()) as ReceivedModelRequest[];
      return all.filter((request) => request.model === model);
    },
    /**
     * Lets the vendor go on with the answer from a model whose name begins with `held`: a whole one, or the next piece.
     */
    async release(model: string): Promise<void> {
      await fetch(`${origin}/releases/${model}`);
    },
    async close() {
      const exit = once(child, "exit");
      child.kill();
      await exit;
    },
  };
}

/** The tokens that the fixture's verifier knows. */
export class KnownTokens {
  readonly #principals = new Map<string, Principal>();

  tokenOf(principal: Principal): string {
    const token = newId("cli");
    this.#principals.set(token, principal);
    return token;
  }

  async verify(token: string): Promise<Principal> {
    const principal = this.#principals.get(token);
    if (!principal) throw new DomainError("TOKEN_INVALID");
    return principal;
  }
}

/** Serves the fixture's gRPC services, and gives a client with a product's certificate. */
export async function modelClient(fixture: IntegrationFixture, logger: Logger) {
  const folder = await mkdtemp(join(tmpdir(), "models-"));
  const certificates = await serviceCertificates(folder);
  const server = await startGrpcServer({
    ...{ host: "127.0.0.1", port: 0, reflection: false, logger, drainMs: 100 },
    certificate: certificates.integration,
    services: fixture.integration.grpcServices,
  });
  const address = `127.0.0.1:${server.port}`;
  const channel = new GrpcChannel({
    ...{ address, server: "integration", timeoutMs: 60_000 },
    certificate: certificates.product,
  });
  return {
    address,
    certificates,
    client: channel.client(ModelInvocationDefinition),
    async close() {
      channel.close();
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Establishes a connection to the vendor, whose credential the vendor accepts unless another one is given. */
export async function aModelConnection(
  fixture: IntegrationCaller,
  principal: Principal,
  baseUrl: string,
  options: { token?: string; capabilities?: readonly string[]; driver?: object; configuration?: object } = {},
): Promise<string> {
  const name = newId("crd");
  const { token = "good", driver = {}, configuration = {} } = options;
  const capabilities = options.capabilities ?? ["model.complete", "model.embed", "model.stream"];
  const create = async (field: string, selection: string, type: string, input: object) => {
    const source = `mutation ($input: ${type}!) { made: ${field}(input: $input) { id: ${selection} } }`;
    const { data, errors } = await fixture.run(principal, source, { input });
    if (errors) throw errors[0];
    const { made: row } = data as { made: { id: string } };
    return row.id;
  };
  await create("createCredential", "credentialId", "CreateCredentialInput", {
    ...{ name, kind: "BearerToken", secret: { token } },
  });
  const providerId = await create("registerProvider", "providerId", "RegisterProviderInput", {
    ...{ key: newId("prv").slice(4), displayName: "Models", category: "Model", authModel: "BearerToken" },
    ...{ baseUrl, capabilities, driver },
  });
  return create("createConnection", "connectionId", "CreateConnectionInput", {
    ...{ providerId, displayName: "Models", authMode: "BearerToken", credentialRef: `secret://${name}` },
    configuration,
  });
}
