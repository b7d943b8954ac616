import { join } from "node:path";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { ModelInvocationDefinition } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { ToolInvocationDefinition } from "@factory/schema/proto/generated/factory/tool/v1/tools";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { aModelVendor } from "../kit/models.js";
import { request } from "../kit/request.js";
import { aToolServer } from "../kit/tool-server.js";

/** Kills of each kind: between the answer of a tool or a model, and the end of its run. */
const kills = Math.ceil(Number(process.env["KILLS"] ?? 2) / 2);
const phases = ["tools.worked", "models.answered"] as const;
const scopes = [
  ...(["integration.providers.write", "integration.connections.write", "integration.credentials.write"] as const),
  ...(["integration.tools.invoke", "integration.models.invoke", "config.manage"] as const),
] as const;
/** Tokens come back so slowly that none does during the test. */
const budget = { tokens: 1_000_000, perSeconds: 2_678_400 };
const sweepMs = 120_000;

describe("kill -9 in calls of tools and models", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials | undefined;
  let toolConnection = "";
  let modelConnection = "";
  let vendor: Awaited<ReturnType<typeof aModelVendor>>;
  let tools: Awaited<ReturnType<typeof aToolServer>>;

  beforeAll(async () => {
    [dataDir, vendor, tools] = await Promise.all([temporaryDataDirectory(), aModelVendor(), aToolServer()]);
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
    vendor.close();
    await tools.close();
  });

  async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const connection = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await connection.connect();
    try {
      return (await connection.query<Row>(text)).rows;
    } finally {
      await connection.end();
    }
  }

  const usedTokens = async () => {
    const [row] = await sql<{ seconds: number }>(
      "select extract(epoch from token_at - now())::float8 as seconds from integration.model_budgets where budget = 'echo'",
    );
    return row && (row.seconds * budget.tokens) / budget.perSeconds;
  };

  async function aTenant(): Promise<ClientCredentials> {
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "invoking", "invoking");
    const made = await createTenantClient(platform, admin, tenantId, { name: "test", scopes });
    const token = await accessToken(platform, made);
    const send = async (at: string, body: unknown) => {
      const {
        status,
        text,
        body: answer,
      } = await request<Record<string, string>>(at, {
        ...{ base: platform.publicUrl, token, body },
      });
      if (status > 299) throw new Error(text);
      return answer;
    };
    const connect = async (key: string, category: string, baseUrl: string, capabilities: string[]) => {
      const provider = { key, displayName: key, category, authModel: "BearerToken", baseUrl, capabilities };
      const { providerId } = await send("POST /integrations/providers", provider);
      const connection = { providerId, displayName: key, authMode: "BearerToken", credentialRef: "key" };
      return (await send("POST /integrations/connections", connection))["connectionId"] ?? "";
    };
    await send("POST /integrations/credentials", { name: "key", kind: "BearerToken", secret: { token: "good" } });
    toolConnection = await connect("tools", "Tool", tools.url, ["tools.list", "tools.invoke"]);
    modelConnection = await connect("models", "Model", vendor.baseUrl, ["model.complete"]);
    await send("PUT /v1/config/models.budgets", { value: { echo: budget } });
    return made;
  }

  /** Calls a tool or a model. Rejects when the process dies. */
  async function invoke(phase: (typeof phases)[number]): Promise<unknown> {
    client ??= await aTenant();
    const certificate = (await serviceCertificates(join(dataDir, "tls"))).product;
    const channel = new GrpcChannel({ address: platform.grpcAddress, server: "gateway", certificate });
    const headers = { authorization: `Bearer ${await accessToken(platform, client)}` };
    const messages = [{ role: "user", content: "hello" }];
    const call =
      phase === "tools.worked"
        ? channel
            .client(ToolInvocationDefinition)
            .invokeTool({ connectionId: toolConnection, name: "works" }, { headers })
        : channel
            .client(ModelInvocationDefinition)
            .complete({ connectionId: modelConnection, model: "echo", messages }, { headers });
    return call.finally(() => channel.close());
  }

  it("ends every run, calls no tool twice, and gives back what a dead call has reserved", async () => {
    for (const phase of Array.from({ length: kills }, () => phases).flat()) {
      platform = await startPlatformProcess(dataDir, { FAIL: `${phase}:kill:1` });
      if (phase === "tools.worked")
        await eventually("the budget counts", async () => {
          await invoke("models.answered");
          return (await usedTokens()) !== undefined;
        });
      await expect(invoke(phase)).rejects.toMatchObject({ code: "UNAVAILABLE" });
      expect(await platform.ended).toBeNull();
    }
    platform = await startPlatformProcess(dataDir);
    expect(tools.calls).toBe(kills);
    const left = "status = 'Running' and operation in ('InvokeTool', 'CompleteModel')";
    const reserved = (await usedTokens()) ?? 0;
    expect(reserved).toBeGreaterThan(4096 * kills);
    // the time limit of a run is several minutes
    const open = await sql(
      `update integration.runs set deadline_at = now() - interval '2 minutes' where ${left} returning 1`,
    );
    expect(open).toHaveLength(2 * kills);
    await eventually(
      "no run is open",
      async () => (await sql(`select 1 from integration.runs where ${left}`)).length === 0,
      sweepMs,
    );
    const ended = await sql<{ operation: string; count: number }>(
      `select operation, count(*)::int as count from integration.runs
       where status = 'Failed' and error_code = 'WORKER_DIED' group by operation order by operation`,
    );
    expect(ended).toEqual(["CompleteModel", "InvokeTool"].map((operation) => ({ operation, count: kills })));
    const told = await sql(
      "select 1 from integration.outbox where envelope->>'type' in ('ModelInvocationFailed', 'ToolInvocationFailed')",
    );
    expect(told).toHaveLength(2 * kills);
    expect(reserved - ((await usedTokens()) ?? 0)).toBeGreaterThan(4000 * kills);
    expect(tools.calls).toBe(kills);
  });
});
