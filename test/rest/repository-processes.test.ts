import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { type Clone, cloneOf } from "../kit/clone.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let group: PlatformGroup;
let processes: [PlatformProcess, PlatformProcess];
let tenant: TestTenant;
let token: string;
let version: TestVersion;

beforeAll(async () => {
  group = await PlatformGroup.open();
  const first = await group.start({});
  group.use(first);
  tenant = await aTenant();
  token = await tenant.tokenWith();
  const source = await aTemplateSource(aSmallPack({ files: { "Company.App1.txt": "one file" } }));
  version = await aTemplateVersion(token, source);
  processes = [first, await group.start({})];
});

afterAll(() => group?.close());

/** Requests an execution at one process. Either process runs it. */
async function execute(base: string, name: string, target: Record<string, unknown>): Promise<string> {
  const { templateId, templateVersionId } = version;
  const acceptance = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
    ...{ token, base },
    body: { templateVersionId, parameters: { name }, target: { onConflict: "overwrite", ...target } },
  });
  if (acceptance.status !== 202) throw new Error(acceptance.text);
  return acceptance.body.executionId;
}

const end = (executionId: string) => finished(token, version.templateId, executionId);
const cloneFrom = ({ publicUrl }: PlatformProcess, repository: string) =>
  cloneOf(`${publicUrl}/git/${tenant.slug}/${repository}.git`, token);

/** The ids of the executions whose commits a clone has, the newest first. */
const executionsIn = ({ commits }: Clone) =>
  commits.map((message) => /^Execution-Id: (\S+)$/m.exec(message)?.[1] ?? message);

describe("a repository of a platform of two processes", () => {
  it("has the commits of ten executions that alternate between them, in one line, in clones from both", async () => {
    const pushedIds: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const base = processes[turn % 2]?.publicUrl ?? "";
      const executionId = await execute(base, `Part${turn}`, { repository: "acme/alternating" });
      expect(await end(executionId)).toMatchObject({ status: "Completed", error: null });
      pushedIds.unshift(executionId);
    }
    for (const process of processes) {
      const clone = await cloneFrom(process, "acme/alternating");
      expect(executionsIn(clone)).toEqual(pushedIds);
      const texts = clone.files.filter((file) => file.endsWith(".txt"));
      expect(texts).toEqual(Array.from({ length: 10 }, (_, turn) => `Part${turn}.txt`));
      await clone.remove();
    }
  });

  it("has all commits of executions that run at once in both", async () => {
    const executions = await Promise.all(
      Array.from({ length: 4 }, (_, turn) =>
        execute(processes[turn % 2]?.publicUrl ?? "", `Part${turn}`, { repository: "acme/busy" }),
      ),
    );
    for (const executionId of executions)
      expect(await end(executionId)).toMatchObject({ status: "Completed", error: null });
    const clone = await cloneFrom(processes[1], "acme/busy");
    expect(executionsIn(clone).toSorted()).toEqual(executions.toSorted());
    await clone.remove();
  });

  it("survives the loss of a process with its folder", async () => {
    const [first, second] = processes;
    const executionId = await execute(second.publicUrl, "Lost", { repository: "acme/lost" });
    expect(await end(executionId)).toMatchObject({ status: "Completed" });
    await second.kill();
    await rm(second.dataDir, { recursive: true, force: true });
    const clone = await cloneFrom(first, "acme/lost");
    expect(executionsIn(clone)).toEqual([executionId]);
    await clone.remove();
    await rm(join(first.dataDir, "repository-cache"), { recursive: true, force: true });
    const again = await cloneFrom(first, "acme/lost");
    expect(executionsIn(again)).toEqual([executionId]);
    await again.remove();
  });
});
