import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { GrpcChannel } from "@factory/runtime/grpc/grpc-channel";
import { serviceCertificates } from "@factory/runtime/grpc/service-certificates";
import { ModelInvocationDefinition } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { ToolInvocationDefinition } from "@factory/schema/proto/generated/factory/tool/v1/tools";
import { aPrincipal } from "../../integration.fixture.js";
import type { IntegrationChildSettings } from "../../integration-child.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";
import { aModelConnection, aModelServer } from "../model-invocation/model-vendor.fixture.js";
import { anOwnServer, aTool, type OwnServer } from "./own-server.fixture.js";

/** Kills for each kind: between a tool's or a model's answer, and the end of its run. */
const kills = Math.ceil(Number(process.env["KILLS"] ?? 2) / 2);
const phases = ["tools.worked", "models.answered"] as const;
/** Tokens come back so slowly that none does during the test. */
const budget = { tokens: 1_000_000, perSeconds: 2_678_400 };
const sweepMs = 120_000;

describe("kill -9 in calls of tools and models", () => {
  const principal = aPrincipal();
  const tenantId = principal.tenantId ?? "";
  const facts = { version: 1, slug: "acme", status: "Active", editionCode: "Free", subscriptionStatus: "Active" };
  const settings: IntegrationChildSettings = {
    tenants: [{ tenantId, ...facts, settings: { "models.budgets": { echo: budget } }, limits: {} }],
  };
  let subgraph: IntegrationProcesses;
  let folder: string;
  let address = "";
  let toolConnection = "";
  let modelConnection = "";
  let vendor: Awaited<ReturnType<typeof aModelServer>>;
  let tools: OwnServer;

  beforeAll(async () => {
    [subgraph, vendor, tools] = await Promise.all([IntegrationProcesses.open(), aModelServer(), anOwnServer()]);
    folder = await mkdtemp(join(tmpdir(), "invocations-"));
    tools.tools = [aTool("works")];
  });
  afterAll(async () => {
    await subgraph.close();
    await Promise.all([vendor.close(), tools.close(), rm(folder, { recursive: true })]);
  });

  const sql = <Row>(text: string) => subgraph.rows<Row>(text);
  const callsOfTools = () => tools.received.filter(({ method }) => method === "tools/call").length;
  const usedTokens = async () => {
    const [row] = await sql<{ seconds: number }>(
      "select extract(epoch from token_at - now())::float8 as seconds from integration.model_budgets where budget = 'echo'",
    );
    return row && (row.seconds * budget.tokens) / budget.perSeconds;
  };

  async function connect(): Promise<void> {
    modelConnection = await aModelConnection(subgraph, principal, vendor.baseUrl);
    const { providerId } = await subgraph.only(
      principal,
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      {
        input: {
          ...{ key: "tools", displayName: "tools", category: "Tool", authModel: "None", baseUrl: tools.url },
          capabilities: ["tools.list", "tools.invoke"],
        },
      },
    );
    const { connectionId } = await subgraph.only(
      principal,
      "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
      { input: { providerId, displayName: "tools", authMode: "None" } },
    );
    toolConnection = connectionId;
  }

  /** Calls a tool or a model. Rejects when the process dies. */
  async function invoke(phase: (typeof phases)[number]): Promise<unknown> {
    const certificate = (await serviceCertificates(folder)).product;
    const channel = new GrpcChannel({ address, server: "integration", certificate });
    const headers = { authorization: `Bearer ${await subgraph.process.call("tokenOf", principal)}` };
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
      expect(await subgraph.startMortal(`${phase}:kill:1`, settings)).toBe(true);
      address = await subgraph.process.call("listen", folder);
      if (toolConnection === "") await connect();
      if (phase === "tools.worked")
        await eventually("the budget counts", async () => {
          await invoke("models.answered");
          return (await usedTokens()) !== undefined;
        });
      await expect(invoke(phase)).rejects.toMatchObject({ code: "UNAVAILABLE" });
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start({ settings });
    expect(callsOfTools()).toBe(kills);
    const openRuns = "status = 'Running' and operation in ('InvokeTool', 'CompleteModel')";
    const reservedTokens = (await usedTokens()) ?? 0;
    expect(reservedTokens).toBeGreaterThan(4096 * kills);
    // a run's time limit is several minutes
    const open = await sql(
      `update integration.runs set deadline_at = now() - interval '2 minutes' where ${openRuns} returning 1`,
    );
    expect(open).toHaveLength(2 * kills);
    await eventually(
      "no run is open",
      async () => (await sql(`select 1 from integration.runs where ${openRuns}`)).length === 0,
      sweepMs,
    );
    const endedRuns = await sql<{ operation: string; count: number }>(
      `select operation, count(*)::int as count from integration.runs
       where status = 'Failed' and error_code = 'WORKER_DIED' group by operation order by operation`,
    );
    expect(endedRuns).toEqual(["CompleteModel", "InvokeTool"].map((operation) => ({ operation, count: kills })));
    const failureEvents = await sql(
      "select 1 from integration.outbox where envelope->>'type' in ('ModelInvocationFailed', 'ToolInvocationFailed')",
    );
    expect(failureEvents).toHaveLength(2 * kills);
    expect(reservedTokens - ((await usedTokens()) ?? 0)).toBeGreaterThan(4000 * kills);
    expect(callsOfTools()).toBe(kills);
  });
});
