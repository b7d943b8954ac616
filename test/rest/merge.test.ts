import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { executed } from "../kit/executions.js";
import { aGitServer, type GitServer } from "../kit/git-server.js";
import { aSmallPack } from "../kit/packs.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const run = promisify(execFile);
const login = { username: "robot", password: "sesame" };
const lines = (...changes: [number, string][]) => {
  const text = Array.from({ length: 12 }, (_, at) => `line ${at + 1} of Company.App1`);
  for (const [at, line] of changes) text[at - 1] = line;
  return `${text.join("\n")}\n`;
};
const packWith = (notes: string, files: Record<string, string> = {}) =>
  aTemplateSource(aSmallPack({ files: { "notes.txt": notes, ...files } }));

let token: string;
let host: GitServer;
let first: TestVersion;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  host = await aGitServer(login);
  const body = { name: "git-host", kind: "Basic", secret: login };
  expect((await request("POST /integrations/credentials", { token, body })).status).toBe(201);
  first = await aTemplateVersion(token, await packWith(lines(), { "dropped.txt": "by the next version\n" }));
});
afterAll(() => host.close());

const into = (version: TestVersion, branch: string) =>
  executed(token, version, {
    parameters: { name: "Orders" },
    target: { repository: host.url, branch, credentialRef: "git-host", onConflict: "merge" },
  });

async function nextVersion(semanticVersion: string, sourceRef: string): Promise<TestVersion> {
  const body = { semanticVersion, sourceRef, engineKind: "DotnetNewTemplatePack", targetFramework: "net8.0" };
  const { templateId } = first;
  const { body: version } = await request<{ templateVersionId: string }>(`POST /v1/templates/${templateId}/versions`, {
    token,
    body,
  });
  return { templateId, templateVersionId: version.templateVersionId };
}

/** Commits a person's change to the branch. */
async function edited(branch: string, change: (notes: string) => string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "factory-edit-"));
  const url = new URL(host.url);
  Object.assign(url, login);
  const git = (...args: string[]) =>
    run("git", ["-C", folder, "-c", "user.name=x", "-c", "user.email=x@localhost", ...args]);
  await run("git", ["clone", "--quiet", "--branch", branch, url.href, folder]);
  const path = join(folder, "notes.txt");
  await writeFile(path, change(await readFile(path, "utf8")));
  await git("commit", "--quiet", "--all", "--message=edit");
  await git("push", "--quiet");
  await rm(folder, { recursive: true });
}

const notesOf = (branch: string) => host.git("show", `${branch}:notes.txt`);
const withNewName = (text: string) => text.replaceAll("Company.App1", "Orders");

describe("onConflict: merge", () => {
  it("merges a new version of the template with the edits of people, also a second time", async () => {
    expect(await into(first, "main")).toMatchObject({ status: "Completed" });
    await edited("main", (notes) => notes.replace("line 2 of Orders", "line 2, edited"));
    const second = await nextVersion("2.0.0", await packWith(lines([11, "line 11, renewed"])));
    expect(await into(second, "main")).toMatchObject({ status: "Completed", output: { changed: true } });
    expect(await notesOf("main")).toBe(withNewName(lines([2, "line 2, edited"], [11, "line 11, renewed"])));
    expect(await host.git("ls-tree", "--name-only", "main")).not.toContain("dropped.txt");

    const third = await nextVersion("3.0.0", await packWith(lines([6, "line 6, new"], [11, "line 11, renewed"])));
    expect(await into(third, "main")).toMatchObject({ status: "Completed" });
    // both template versions have the same notes, although the second commit contains the edit
    expect(await notesOf("main")).toBe(
      withNewName(lines([2, "line 2, edited"], [6, "line 6, new"], [11, "line 11, renewed"])),
    );
  });

  it("fails when both sides changed the same line, and pushes nothing", async () => {
    await into(first, "clash");
    await edited("clash", (notes) => notes.replace("line 5 of Orders", "line 5, edited"));
    const before = await host.git("rev-parse", "clash");
    const next = await nextVersion("4.0.0", await packWith(lines([5, "line 5, renewed"])));
    expect(await into(next, "clash")).toMatchObject({ status: "Failed", error: { code: "TARGET_CONFLICT" } });
    expect(await host.git("rev-parse", "clash")).toBe(before);
  });

  it("does not use the scaffold of another template as its base", async () => {
    await into(first, "other");
    const other = await aTemplateVersion(token, await packWith(lines([3, "line 3 of another template"])));
    expect(await into(other, "other")).toMatchObject({ status: "Failed", error: { code: "TARGET_CONFLICT" } });
  });
});
