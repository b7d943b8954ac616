import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { tenantScopes } from "@factory/schema/scopes";
import { samplePack, writeTemplateRepository } from "./assembly/sample-repository.js";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "./client/platform-api.js";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "./client/platform-process.js";
import { openEventFeed } from "./demo/event-feed.js";
import { libraries, MainJob, parameterSchema } from "./demo/main-job.js";
import { Report } from "./demo/report.js";
import { startWebhookReceiver } from "./demo/webhook-receiver.js";

const run = promisify(execFile);
const completionEvents = ["ScaffoldGenerated", "TemplateExecuted"];
const executionTimeoutMs = 60_000;
const arrivalTimeoutMs = 15_000;

interface ExecutionBody {
  executionId: string;
  status: string;
  phase: string | null;
  output: { repository: string; commitSha: string } | null;
  error: object | null;
}

/**
 * Runs the main job end to end, through a separate platform process's public API. Exit code 0 means that all steps
 * succeeded.
 */
async function main(): Promise<void> {
  const report = new Report();
  report.step("Start the platform: one process, embedded PostgreSQL, free ports");
  const dataDir = await temporaryDataDirectory();
  const workDir = await mkdtemp(join(tmpdir(), "factory-demo-"));
  let platform: PlatformProcess | undefined;
  try {
    platform = await startPlatformProcess(dataDir);
    report.line(`ready at ${platform.publicUrl}`);
    await mainJob(platform, workDir, report);
    report.step("Stop");
    report.line(`the platform ended with ${await platform.stop()}`);
  } finally {
    await platform?.kill();
    await removeData(dataDir);
    await rm(workDir, { recursive: true, force: true });
  }
}

async function mainJob(platform: PlatformProcess, workDir: string, report: Report): Promise<void> {
  report.step("A tenant and its service client");
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const tenant = await ensureTenant(platform, admin, "acme", "Acme Corporation");
  const client = await createTenantClient(platform, admin, tenant.tenantId, { name: "demo", scopes: tenantScopes });
  const token = await accessToken(platform, client);
  report.line(`tenant ${tenant.slug} (${tenant.tenantId}), client ${client.clientId}`);
  const job = new MainJob(platform.publicUrl, token, report);

  report.step("Listen: a websocket and a signed webhook");
  let secret = "";
  const receiver = await startWebhookReceiver(
    () => secret,
    ({ type, verified }) => report.line(`webhook    ${type}, signature ${verified ? "verified" : "WRONG"}`),
  );
  for (const eventType of completionEvents) {
    const subscription = { eventType, endpointUrl: receiver.url, signingSecretRef: "demo-webhooks", active: true };
    const createdSubscription = await job.post<{ signingSecret?: string }>("/webhooks/subscriptions", subscription);
    secret = createdSubscription.signingSecret ?? secret;
  }
  const feed = await openEventFeed({
    url: `${platform.publicUrl.replace(/^http/, "ws")}/graphql`,
    token,
    types: [
      "TemplateRegistered",
      "TemplateVersionCreated",
      "TemplateValidated",
      "CompatibilityEvaluated",
      ...completionEvents,
    ],
    onEvent: ({ type, subject }) => report.line(`websocket  ${type} ${subject ? JSON.stringify(subject) : ""}`),
  });

  try {
    const execution = await runExecution(job, workDir, report);
    report.step("The events, as they arrived");
    await arrival(() =>
      completionEvents.every((type) => receiver.received.some((webhook) => webhook.type === type && webhook.verified)),
    );
    await arrival(() => completionEvents.every((type) => feed.events.some((event) => event.type === type)));
    const order = feed.events.map(({ type }) => type).filter((type) => completionEvents.includes(type));
    if (order.join() !== completionEvents.join()) throw new Error(`The events came as ${order.join(", ")}`);
    report.line(
      `websocket: ${feed.events.length} events; webhooks: ${receiver.received.length}, all signatures verified`,
    );
    await showClone(execution, token, workDir, report);
  } finally {
    await feed.close();
    await receiver.close();
  }
}

async function runExecution(job: MainJob, workDir: string, report: Report): Promise<ExecutionBody> {
  report.step("Register libraries and a template whose source is a git repository");
  for (const library of libraries) await job.post("/v1/libraries", library);
  const repository = join(workDir, "web-api.git");
  await writeTemplateRepository(samplePack, repository);
  const { templateId } = await job.post<{ templateId: string }>("/v1/templates", {
    name: "web-api",
    title: "Web API",
    category: "Service",
    owner: "platform-team",
    tags: ["dotnet", "web"],
  });
  const { templateVersionId } = await job.post<{ templateVersionId: string }>(`/v1/templates/${templateId}/versions`, {
    semanticVersion: "1.0.0",
    sourceRef: `git+${pathToFileURL(repository).href}#main`,
    engineKind: "DotnetNewTemplatePack",
    targetFramework: "net8.0",
    parameterSchema,
    changelog: "First version",
  });

  report.step("Validate the template and evaluate its compatibility");
  const requestedPackages = [
    { packageName: "Serilog.AspNetCore", version: "8.0.2" },
    { packageName: "Polly", version: "8.4.2" },
  ];
  const { outcome } = await job.post<{ outcome: string }>(`/v1/templates/${templateId}/validate`, {
    templateVersionId,
  });
  const { compatible } = await job.post<{ compatible: boolean }>(`/v1/templates/${templateId}/compatibility/evaluate`, {
    templateVersionId,
    runtime: "net8.0",
    libraries: requestedPackages,
  });
  if (outcome !== "Passed" || !compatible) throw new Error("The sample template should be sound and compatible");

  report.step("Execute the template into the repository acme/orders");
  const { executionId } = await job.post<{ executionId: string }>(
    `/v1/templates/${templateId}/execute`,
    {
      templateVersionId,
      parameters: { name: "Acme.Orders", Framework: "net8.0", Database: "PostgreSql", Description: "Takes orders." },
      libraries: requestedPackages,
      target: { repository: "acme/orders", branch: "main" },
      correlation: { agentTaskId: "demo-task-1" },
    },
    { "idempotency-key": "demo-1" },
  );
  const deadline = Date.now() + executionTimeoutMs;
  for (;;) {
    const execution = await job.get<ExecutionBody>(`/v1/templates/${templateId}/executions/${executionId}`);
    if (execution.status === "Completed") {
      report.answer(`GET  /v1/templates/{templateId}/executions/{executionId}`, 200, execution);
      return execution;
    }
    if (execution.status === "Failed" || Date.now() > deadline)
      throw new Error(`The execution ended as ${JSON.stringify(execution)}`);
    report.progress(`${execution.status} ${execution.phase ?? ""}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function showClone({ output }: ExecutionBody, token: string, workDir: string, report: Report): Promise<void> {
  report.step("Clone the generated project");
  if (!output) throw new Error("A completed execution has an output");
  const clone = join(workDir, "orders");
  const { protocol, host, pathname } = new URL(output.repository);
  await run("git", ["clone", "--quiet", `${protocol}//x:${token}@${host}${pathname}`, clone]);
  const { stdout: files } = await run("git", ["-C", clone, "ls-files"]);
  const { stdout: head } = await run("git", ["-C", clone, "log", "-1", "--format=%H%n%B"]);
  if (!head.startsWith(output.commitSha)) throw new Error("The head of the clone is not the commit of the execution");
  report.line(`git clone ${protocol}//x:$TOKEN@${host}${pathname}`);
  report.block(files);
  report.block(head);
  const project = "src/Acme.Orders/Acme.Orders.csproj";
  const text = await readFile(join(clone, project), "utf8");
  report.line(project);
  report.block(text);
  for (const expectedText of ["Npgsql.EntityFrameworkCore.PostgreSQL", 'Include="Polly"', "net8.0"])
    if (!text.includes(expectedText)) throw new Error(`${project} lacks ${expectedText}`);
  if (files.includes("Company.WebApi1") || text.includes("Condition=")) throw new Error("The project was not rendered");
}

async function arrival(hasArrived: () => boolean): Promise<void> {
  const deadline = Date.now() + arrivalTimeoutMs;
  while (!hasArrived()) {
    if (Date.now() > deadline) throw new Error("Not every event arrived");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
