import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { samplePack, writeTemplateRepository } from "@factory/platform/assembly/sample-repository";
import { platform } from "./platform.js";
import { request } from "./request.js";

/**
 * Creates a bare git repository with the web API pack, or with the given files, and returns its `sourceRef`. The
 * repository is deleted with the platform.
 */
export async function aTemplateSource(files?: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(platform().dataDir, "template-"));
  const repository = join(folder, "template.git");
  if (files === undefined) await writeTemplateRepository(samplePack, repository);
  else {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, "files", path)), { recursive: true });
      await writeFile(join(folder, "files", path), content);
    }
    await writeTemplateRepository(join(folder, "files"), repository);
  }
  return `git+${pathToFileURL(repository).href}#main`;
}

export interface TestVersion {
  readonly templateId: string;
  readonly templateVersionId: string;
}

/** Registers a template with one version over this source. */
export async function aTemplateVersion(
  token: string,
  sourceRef: string,
  input: Record<string, unknown> = {},
): Promise<TestVersion> {
  const template = await request<{ templateId: string }>("POST /v1/templates", {
    token,
    body: { name: `template-${Math.random().toString(36).slice(2)}`, category: "Service" },
  });
  const { templateId } = template.body;
  const version = await request<{ templateVersionId: string }>(`POST /v1/templates/${templateId}/versions`, {
    token,
    body: {
      semanticVersion: "1.0.0",
      sourceRef,
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
      ...input,
    },
  });
  if (version.status !== 201) throw new Error(version.text);
  return { templateId, templateVersionId: version.body.templateVersionId };
}

export interface TestExecution {
  readonly executionId: string;
  readonly status: string;
  readonly phase: string | null;
  readonly scaffoldOutputId: string | null;
  readonly output: {
    readonly repository: string;
    readonly branch: string;
    readonly commitSha: string;
    readonly changed: boolean;
  } | null;
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown } | null;
  readonly warnings: readonly { readonly code: string }[];
}

/** Polls until the execution is in a final state. */
export async function finished(token: string, templateId: string, executionId: string): Promise<TestExecution> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const { body } = await request<TestExecution>(`GET /v1/templates/${templateId}/executions/${executionId}`, {
      token,
    });
    if (["Completed", "Failed", "Cancelled"].includes(body.status)) return body;
    if (Date.now() > deadline) throw new Error(`The execution is still ${body.status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
