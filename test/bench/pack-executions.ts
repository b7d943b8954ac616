import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import { call } from "@factory/platform/client/platform-api";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { type PackSize, packSizes, writePack } from "./bench-pack.js";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

interface Step {
  readonly phase: string | null;
  readonly status: string;
  readonly changedAt: string;
}

const query = `subscription ($executionId: ID!) {
  executionStatusChanged(executionId: $executionId) { status phase changedAt } }`;

const executionsOf: Record<string, number> = { small: 30, medium: 12, large: 5 };

/**
 * Measures packs of three sizes. Each is executed into new repositories one after the other: the complete execution,
 * and only the rendering.
 */
export async function packExecutions(stage: Stage): Promise<Figures> {
  const values: Record<string, number> = {};
  for (const size of packSizes) Object.assign(values, await measure(stage, size));
  return { title: "Executions of packs: POST to Completed, and the render in it", values };
}

async function measure({ platform, token }: Stage, size: PackSize): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), "factory-bench-"));
  // a comparison between releases repeats the bench on one platform
  const name = `${size.name}-${randomUUID()}`;
  const client = createClient({
    url: `${platform.publicUrl.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
  });
  const post = async <T>(path: string, body: unknown) =>
    (await call<T>("POST", platform.publicUrl + path, { token, body })).body;
  try {
    await writePack(join(folder, "files"), size);
    await writeTemplateRepository(join(folder, "files"), join(folder, "pack.git"));
    const { templateId } = await post<{ templateId: string }>("/v1/templates", { name });
    const { templateVersionId } = await post<{ templateVersionId: string }>(`/v1/templates/${templateId}/versions`, {
      semanticVersion: "1.0.0",
      sourceRef: `git+${pathToFileURL(join(folder, "pack.git")).href}#main`,
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
    });
    const before = await residentBytes(platform.pid);
    const wholeMs: number[] = [];
    const fetchMs: number[] = [];
    const renderMs: number[] = [];
    const pushMs: number[] = [];
    const count = executionsOf[size.name] ?? 5;
    // the first two executions are warm-ups
    for (let place = 0; place < count + 2; place += 1) {
      const startedAt = performance.now();
      const target = { repository: `bench/${name}-${place}` };
      const { executionId } = await post<{ executionId: string }>(`/v1/templates/${templateId}/execute`, {
        templateVersionId,
        target,
        parameters: { name: "Acme.Orders" },
      });
      const steps: Step[] = [];
      const changes = client.iterate<{ executionStatusChanged: Step }>({
        query,
        variables: { executionId },
      });
      for await (const { data } of changes) if (data) steps.push(data.executionStatusChanged);
      if (steps.at(-1)?.status !== "Completed")
        throw new Error(`The ${size.name} pack ended as ${JSON.stringify(steps)}`);
      if (place < 2) continue;
      wholeMs.push(performance.now() - startedAt);
      fetchMs.push(timeOf(steps, "Rendering") - timeOf(steps, "FetchingSource"));
      renderMs.push(timeOf(steps, "Pushing") - timeOf(steps, "Rendering"));
      pushMs.push(timeOf(steps, null) - timeOf(steps, "Pushing"));
    }
    const renderSeconds = percentile(renderMs, 0.5) / 1000;
    return {
      [`${size.name}: files`]: size.files,
      [`${size.name}: whole p50 ms`]: percentile(wholeMs, 0.5),
      [`${size.name}: whole p95 ms`]: percentile(wholeMs, 0.95),
      [`${size.name}: fetch p50 ms`]: percentile(fetchMs, 0.5),
      [`${size.name}: push p50 ms`]: percentile(pushMs, 0.5),
      [`${size.name}: render p50 ms`]: percentile(renderMs, 0.5),
      [`${size.name}: render MiB/s`]: size.bytes / 1024 / 1024 / renderSeconds,
      [`${size.name}: render files/s`]: size.files / renderSeconds,
      [`${size.name}: memory above before, MiB`]: ((await peakBytes(platform.pid)) - before) / 1024 / 1024,
    };
  } finally {
    await client.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function timeOf(steps: readonly Step[], phase: string | null): number {
  return Date.parse(steps.find((step) => step.phase === phase)?.changedAt ?? "");
}

const statusBytes = async (pid: number, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/** Reads the resident memory in bytes and resets the peak value (Linux, proc_pid_clear_refs). */
async function residentBytes(pid: number): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
  return statusBytes(pid, "VmRSS");
}

const peakBytes = (pid: number) => statusBytes(pid, "VmHWM");
