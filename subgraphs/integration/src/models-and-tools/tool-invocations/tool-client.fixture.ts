import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { GrpcChannel, type GrpcClient } from "@factory/runtime/grpc/grpc-channel";
import { type GrpcServer, startGrpcServer } from "@factory/runtime/grpc/grpc-server";
import { type ServiceCertificates, serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import type { ServiceIdentity } from "@factory/runtime/grpc/service-identity";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import {
  type InvokeToolResponse,
  type ListToolsRequest,
  type ListToolsResponse,
  ToolInvocationDefinition,
} from "@factory/schema/proto/generated/factory/tool/v1/tools";
import { aPrincipal, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import type { IntegrationSettings } from "../../modules.js";

type ToolClient = GrpcClient<typeof ToolInvocationDefinition>;

/** A subgraph with its gRPC server, and a caller for its tools. A principal's token is a word that names it. */
export class ToolCaller {
  readonly logged: string[] = [];
  fixture!: IntegrationFixture;
  #folder = "";
  #certificates!: ServiceCertificates;
  #server!: GrpcServer;
  #client!: ToolClient;
  readonly #channels: GrpcChannel[] = [];
  readonly #principals = new Map<string, Principal>();

  static async start(settings: Partial<IntegrationSettings> = {}): Promise<ToolCaller> {
    const caller = new ToolCaller();
    const verify = async (token: string) => {
      const principal = caller.#principals.get(token);
      if (!principal) throw new DomainError("TOKEN_INVALID", { detail: "The token is not valid." });
      return principal;
    };
    const logger = keepingLogger(caller.logged);
    caller.fixture = await startIntegrationFixture({ verifier: { verify }, ...settings }, logger);
    caller.#folder = await mkdtemp(join(tmpdir(), "tools-"));
    caller.#certificates = await serviceCertificates(caller.#folder);
    caller.#server = await startGrpcServer({
      ...{ host: "127.0.0.1", port: 0, certificate: caller.#certificates.integration, reflection: false, logger },
      services: caller.fixture.integration.grpcServices,
    });
    caller.#client = caller.as("product");
    return caller;
  }

  as(identity: ServiceIdentity): ToolClient {
    const address = `127.0.0.1:${this.#server.port}`;
    const certificate = this.#certificates[identity];
    const channel = new GrpcChannel({ address, server: "integration", certificate, timeoutMs: 60_000 });
    this.#channels.push(channel);
    return channel.client(ToolInvocationDefinition);
  }

  tokenOf(principal: Principal): string {
    const token = newId("evt");
    this.#principals.set(token, principal);
    return token;
  }

  headersOf(principal: Principal, more: Record<string, string> = {}) {
    return { headers: { authorization: `Bearer ${this.tokenOf(principal)}`, ...more } };
  }

  /** Establishes a connection to a tool server. */
  async connect(
    principal: Principal,
    url: string | undefined,
    more: {
      authMode?: string;
      credentialRef?: string;
      displayName?: string;
      configuration?: object;
      capabilities?: string[];
    } = {},
  ): Promise<string> {
    const { capabilities = ["tools.list", "tools.invoke"], ...connection } = more;
    const key = newId("prv").slice(4);
    const { registerProvider } = await this.mutate(
      principal,
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      { input: { key, displayName: "Tools", category: "Tool", authModel: "Custom", baseUrl: url, capabilities } },
    );
    const { createConnection } = await this.mutate(
      principal,
      "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
      {
        input: { providerId: registerProvider.providerId, displayName: "Tools", authMode: "None", ...connection },
      },
    );
    return createConnection.connectionId;
  }

  invoke(
    principal: Principal,
    connectionId: string,
    name: string,
    toolArguments: object = {},
    { key = "", headers = {}, signal }: { key?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<InvokeToolResponse> {
    return this.#client.invokeTool(
      { connectionId, name, argumentsJson: JSON.stringify(toolArguments), idempotencyKey: key },
      { ...this.headersOf(principal, headers), ...(signal && { signal }) },
    );
  }

  list(principal: Principal, request: Partial<ListToolsRequest> = {}): Promise<ListToolsResponse> {
    return this.#client.listTools(request, this.headersOf(principal));
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async mutate(principal: Principal, source: string, variables: Record<string, unknown>): Promise<any> {
    const { data, errors } = await this.fixture.run(principal, source, variables);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** The tenant's envelopes with this type, oldest first. */
  async messages(principal: Principal, type: string): Promise<Record<string, unknown>[]> {
    const rows = await this.fixture.rows<{ envelope: Record<string, unknown> }>(
      `select envelope from integration.outbox where tenant_id = $1 and envelope->>'type' = $2 order by seq`,
      decodeId("ten", principal.tenantId ?? ""),
      type,
    );
    return rows.map(({ envelope }) => envelope);
  }

  async runs(principal: Principal): Promise<{ operation: string; status: string; error_code: string | null }[]> {
    return this.fixture.rows(
      "select operation, status, error_code from integration.runs where tenant_id = $1 and operation like '%Tool%' order by run_id",
      decodeId("ten", principal.tenantId ?? ""),
    );
  }

  async stop(): Promise<void> {
    for (const channel of this.#channels) channel.close();
    await this.#server.stop();
    await this.fixture.close();
    await rm(this.#folder, { recursive: true });
  }
}

/** An agent whose token is bound to a task, or to none. */
export const anAgent = (agentTaskId: string | undefined, tenantId?: string): Principal => ({
  ...aPrincipal(tenantId === undefined ? {} : { tenantId }),
  principalType: "Agent",
  actors: [newId("cli")],
  agentTaskId,
});
