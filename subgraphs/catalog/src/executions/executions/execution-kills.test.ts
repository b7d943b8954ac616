import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { aProcessPlace, SubgraphProcesses } from "@factory/runtime/faults/subgraph-process.fixture";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../../catalog.fixture.js";
import type { CatalogOperations } from "../../catalog-child.fixture.js";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import { git } from "../../git/git/git.js";

const program = new URL("../../../dist/catalog-child.fixture.js", import.meta.url);
/** A generous limit for the time until the next start continues the work of a killed process. */
const takeoverMs = 180_000;
/** Each failpoint is the place of one kill. The last one follows the end of the execution. */
const phases = [
  ...["execution.fetching", "execution.injecting", "repository.received", "execution.pushed"],
  ...["execution.rendering", "execution.pushing", "repository.committed", "execution.completed"],
];
const nameOf = (phase: string) => phase.slice(phase.indexOf(".") + 1);
const project = '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup></ItemGroup></Project>';
const config = { identity: "a", name: "a", shortName: "a", sourceName: "Company.App1", tags: { type: "project" } };

interface ExecutionState {
  readonly status: string;
  readonly attempts: number;
  readonly error: { readonly code: string } | null;
}

let catalog: SubgraphProcesses<CatalogOperations>;
const tenantId = newId("ten");
const principal = aPrincipal({ tenantId });
let source: BareRepository;
let templateId: string;
let templateVersionId: string;

/** Asks the process that was started last, and returns the value of the only field. */
async function only<T>(document: string, variables: Record<string, unknown> = {}): Promise<T> {
  const { data, errors } = await catalog.process.call("ask", principal, document, variables);
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0] as T;
}

beforeAll(async () => {
  catalog = new SubgraphProcesses<CatalogOperations>(await aProcessPlace("catalog", program));
  source = await BareRepository.create();
  await source.commit("main", {
    ".template.config/template.json": JSON.stringify(config),
    "Company.App1/Company.App1.csproj": project,
  });
  await catalog.startMortal(`${phases[0]}:kill:1`);
  ({ templateId } = await only<{ templateId: string }>(
    'mutation { registerTemplate(input: { name: "Web API", category: "Service" }) { templateId } }',
  ));
  const input = {
    ...{ semanticVersion: "1.0.0", targetFramework: "net8.0", engineKind: "DotnetNewTemplatePack" },
    sourceRef: `git+${source.url}#main`,
  };
  ({ templateVersionId } = await only<{ templateVersionId: string }>(
    `mutation ($id: ID!, $input: CreateTemplateVersionInput!) {
       createTemplateVersion(templateId: $id, input: $input) { templateVersionId } }`,
    { id: templateId, input },
  ));
});
afterAll(async () => {
  await catalog?.close();
  await source?.remove();
});

/** Requests an execution, and returns its id. */
async function requested(name: string): Promise<string> {
  const input = {
    ...{ templateVersionId, parameters: { name }, target: { repository: `acme/${name}` } },
    libraries: [{ packageName: "Polly", version: "8.4.2" }],
  };
  const { executionId } = await only<{ executionId: string }>(
    `mutation ($id: ID!, $input: RequestExecutionInput!) {
       requestExecution(templateId: $id, input: $input) { executionId } }`,
    { id: templateId, input },
  );
  return executionId;
}

const stateOf = (executionId: string) =>
  only<ExecutionState>(
    `query ($id: ID!, $executionId: ID!) {
       execution(templateId: $id, executionId: $executionId) { status attempts error { code } } }`,
    { id: templateId, executionId },
  );

const completes = (executionId: string) =>
  eventually("it completes", async () => (await stateOf(executionId)).status === "Completed", takeoverMs);

/** The types of its events, in their order. */
const eventsOf = async (executionId: string) =>
  (
    await catalog.rows<{ type: string }>(
      "select type from catalog.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq",
      `executions/${executionId}`,
    )
  ).map(({ type }) => type);

/** The commits on the branch, and the project file with its library. */
async function contentOf(name: string) {
  const cwd = await catalog.process.call("folderOf", { tenantId, owner: "acme", name });
  if (cwd === undefined) throw new Error(`There is no repository ${name}`);
  const text = async (...args: string[]) => (await git(args, { cwd })).toString("utf8").trim();
  const projectText = await text("show", `main:${name}/${name}.csproj`);
  return { commits: Number(await text("rev-list", "--count", "main")), hasLibrary: projectText.includes("Polly") };
}

it("kill -9 at every phase of an execution is continued by the next start and makes one commit and each event once", async () => {
  const outcomes: Record<string, unknown> = {};
  let left: { phase: string; executionId: string } | undefined;
  for (const phase of [...phases, undefined]) {
    if (left && phase === undefined) await catalog.start();
    // the remaining work of the former process passes the failpoint first
    else if (left) expect(await catalog.startMortal(`${phase}:kill:2`)).toBe(true);
    if (left) {
      await completes(left.executionId);
      const { attempts } = await stateOf(left.executionId);
      const events = await eventsOf(left.executionId);
      outcomes[left.phase] = { attempts, events, ...(await contentOf(nameOf(left.phase))) };
    }
    if (phase === undefined) break;
    left = { phase, executionId: await requested(nameOf(phase)) };
    expect(await catalog.process.ended).toBeNull();
  }
  const events = ["ScaffoldGenerated", "TemplateExecuted"];
  const resumed = { attempts: 2, events, commits: 1, hasLibrary: true };
  expect(outcomes).toEqual({
    ...Object.fromEntries(phases.map((phase) => [phase, resumed])),
    // the execution had completed before the kill, so the next run of its job has nothing to do
    "execution.completed": { ...resumed, attempts: 1 },
  });
});

/** Starts the process until the execution kills it, which may be before it is ready. */
async function diesAgain(): Promise<void> {
  await catalog.startMortal("execution.rendering:kill:1");
  expect(await catalog.process.ended).toBeNull();
}

it("an execution whose process has died too often is Failed with WORKER_DIED, and another execution completes", async () => {
  await catalog.startMortal("execution.rendering:kill:1");
  const executionId = await requested("deadly");
  expect(await catalog.process.ended).toBeNull();
  // a test of the job queue meets all three deaths beside other jobs and all three alone; here two of each are met
  const runsAlone = async () =>
    (await catalog.rows("select from catalog_jobs.job where state < 'completed' and name = 'execution.alone'")).length;
  // a death is not counted where the process dies before the run is noted
  while ((await runsAlone()) === 0) {
    await catalog.rows("update catalog_jobs.job_runs set interruptions = 2");
    await diesAgain();
  }
  await catalog.rows("update catalog_jobs.job_runs set alone_interruptions = 1");
  await diesAgain();
  await catalog.start();
  await eventually("it has ended", async () => (await stateOf(executionId)).status === "Failed", takeoverMs);
  expect((await stateOf(executionId)).error).toEqual({ code: "WORKER_DIED" });
  await completes(await requested("Orders"));
});
