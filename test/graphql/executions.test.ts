import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { graphql, request } from "../kit/request.js";
import { aSilentHost, type SilentHost } from "../kit/silent-host.js";
import { aTemplateSource, aTemplateVersion, finished, type TestExecution, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const run = promisify(execFile);

let token: string;
let silent: SilentHost;
let version: TestVersion;
let endless: TestVersion;

beforeAll(async () => {
  token = await (await aTenant()).tokenWith();
  silent = await aSilentHost();
  version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
  endless = await aTemplateVersion(token, `git+${silent.url}/acme/never.git#main`);
});

afterAll(() => silent.close());

const aRepository = () => `acme/r${Math.random().toString(36).slice(2)}`;

async function requested({ templateId, templateVersionId }: TestVersion, input = {}) {
  const body = { templateVersionId, target: { repository: aRepository() }, ...input };
  const acceptance = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
    token,
    body,
  });
  expect(acceptance.status).toBe(202);
  return { templateId, executionId: acceptance.body.executionId };
}

const cancelDocument = `mutation ($executionId: ID!) { cancelExecution(executionId: $executionId) { status phase completedAt error { code message } } }`;
const retryDocument = `mutation ($executionId: ID!, $input: RetryExecutionInput) {
  retryExecution(executionId: $executionId, input: $input) { executionId retryOf status target { repository } } }`;

const cancel = ({ executionId }: { executionId: string }, as = token) =>
  graphql<{ cancelExecution: TestExecution }>(cancelDocument, { token: as, variables: { executionId } });
const retry = ({ executionId }: { executionId: string }, input?: object, as = token) =>
  graphql<{ retryExecution: TestExecution & { retryOf: string } }>(retryDocument, {
    token: as,
    variables: { executionId, input },
  });

describe("an execution", () => {
  const links = `query ($t: ID!, $e: ID!) { execution(templateId: $t, executionId: $e) {
    template { templateId name } templateVersion { templateVersionId semanticVersion } } }`;

  it("has its template and version, for a token that may read them", async () => {
    const { executionId } = await executed(token, version, { target: { repository: aRepository() } });
    const variables = { t: version.templateId, e: executionId };
    expect((await graphql(links, { token, variables })).body).toEqual({
      data: {
        execution: {
          template: { templateId: version.templateId, name: expect.any(String) },
          templateVersion: { templateVersionId: version.templateVersionId, semanticVersion: "1.0.0" },
        },
      },
    });
    const narrow = await (await aTenant()).tokenWith("templates.execute");
    expect((await graphql(links, { token: narrow, variables })).body.data).toEqual({ execution: null });
  });
});

describe("cancelExecution", () => {
  it("ends a running execution, stops its fetch and emits an event", async () => {
    const execution = await requested(endless);
    await eventually("it fetches", () => silent.open() > 0);
    const { body } = await cancel(execution);
    expect(body.data.cancelExecution).toMatchObject({
      status: "Cancelled",
      phase: null,
      completedAt: expect.any(String),
      error: { code: "EXECUTION_CANCELLED" },
    });
    await eventually("the fetch is ended", () => silent.open() === 0);
    expect(await finished(token, execution.templateId, execution.executionId)).toMatchObject({ status: "Cancelled" });
    const again = await cancel(execution);
    expect(again.body.data.cancelExecution.status).toBe("Cancelled");
  });

  it("refuses an execution that has ended", async () => {
    const execution = await requested(version);
    await finished(token, execution.templateId, execution.executionId);
    const cancellation = await cancel(execution);
    expect(cancellation.body.errors?.[0]?.extensions).toMatchObject({
      code: "INVALID_STATE",
      currentState: "Completed",
    });
  });
});

describe("retryExecution", () => {
  it("starts a new execution for a failed one, which may set another onConflict", async () => {
    const repository = aRepository();
    await executed(token, version, { target: { repository } });
    const changedVersion = await aTemplateVersion(
      token,
      await aTemplateSource(aSmallPack({ files: { "README.md": "# other\n" } })),
    );
    const failedExecution = await executed(token, changedVersion, {
      parameters: { name: "x" },
      target: { repository },
    });
    expect(failedExecution).toMatchObject({ status: "Failed", error: { code: "TARGET_CONFLICT" } });
    const { body } = await retry(failedExecution, { onConflict: "overwrite" });
    const { executionId, retryOf, status } = body.data.retryExecution;
    expect([retryOf, status]).toEqual([failedExecution.executionId, "Requested"]);
    expect(executionId).not.toBe(failedExecution.executionId);
    expect(await finished(token, changedVersion.templateId, executionId)).toMatchObject({ status: "Completed" });
  });

  it("refuses an execution that has not failed", async () => {
    const execution = await requested(version);
    await finished(token, execution.templateId, execution.executionId);
    expect((await retry(execution)).body.errors?.[0]?.extensions.code).toBe("INVALID_STATE");
  });
});

interface Files {
  scaffoldFiles: {
    items: { path: string; change: string; executable: boolean; size: number; blobSha: string | null }[];
    nextCursor: string | null;
  };
}

describe("scaffoldFiles", () => {
  const document = `query ($id: ID!, $first: Int, $after: String) {
    scaffoldFiles(scaffoldOutputId: $id, first: $first, after: $after) {
      items { path change executable size blobSha } nextCursor } }`;
  const list = (variables: Record<string, unknown>, as = token) => graphql<Files>(document, { token: as, variables });

  it("lists the change of each file in pages, with the blob ids of git", async () => {
    const repository = aRepository();
    const first = await executed(token, version, { target: { repository } });
    const again = await executed(token, version, { target: { repository } });
    const id = first.scaffoldOutputId;
    const { body: whole } = await list({ id });
    const items = whole.data.scaffoldFiles.items;
    expect(items.map(({ path: file, change }) => [file, change])).toEqual([
      ["README.md", "Created"],
      [`${repository.slice(5)}/${repository.slice(5)}.csproj`, "Created"],
    ]);
    const clone = await cloneOf(first.output?.repository ?? "", token);
    const text = await clone.read("README.md");
    await clone.remove();
    const folder = await mkdtemp(join(tmpdir(), "factory-blob-"));
    await writeFile(join(folder, "README.md"), text);
    const { stdout } = await run("git", ["hash-object", join(folder, "README.md")]);
    await rm(folder, { recursive: true });
    expect(items[0]).toMatchObject({ size: Buffer.byteLength(text), blobSha: stdout.trim(), executable: false });

    const pageOne = (await list({ id, first: 1 })).body.data.scaffoldFiles;
    const pageTwo = (await list({ id, first: 1, after: pageOne.nextCursor })).body.data.scaffoldFiles;
    expect([...pageOne.items, ...pageTwo.items]).toEqual(items);
    expect(pageTwo.nextCursor).toBeNull();
    const { body: unchangedList } = await list({ id: again.scaffoldOutputId });
    expect(unchangedList.data.scaffoldFiles.items.map(({ change }) => change)).toEqual(["Unchanged", "Unchanged"]);
  });

  it("refuses a cursor of another list", async () => {
    const { scaffoldOutputId: id } = await executed(token, version, { target: { repository: aRepository() } });
    const { scaffoldOutputId: second } = await executed(token, version, { target: { repository: aRepository() } });
    const cursor = (await list({ id, first: 1 })).body.data.scaffoldFiles.nextCursor;
    const refusedPage = await list({ id: second, after: cursor });
    expect(refusedPage.body.errors?.[0]?.extensions.code).toBe("INVALID_CURSOR");
  });
});

interface Preview {
  previewExecution: {
    files: { path: string; change: string; conflict: boolean; diff: string | null; size: number | null }[];
    truncated: boolean;
    primaryOutputs: string[];
    warnings: { code: string }[];
    error: { code: string; message: string } | null;
  };
}

describe("previewExecution", () => {
  const document = `query ($templateId: ID!, $input: RequestExecutionInput!) {
    previewExecution(templateId: $templateId, input: $input) {
      files { path change conflict diff size } truncated primaryOutputs warnings { code } error { code message } } }`;
  const preview = async ({ templateId, templateVersionId }: TestVersion, input: object) => {
    const variables = { templateId, input: { templateVersionId, ...input } };
    return (await graphql<Preview>(document, { token, variables })).body;
  };

  it("writes nothing, and the execution then makes exactly the changes of the diffs", async () => {
    const repository = aRepository();
    const pack = aSmallPack({
      files: { "a b.txt": "spaced\n", "bare.txt": "no newline", "logo.bin": "\0\u0001binary" },
    });
    const first = await aTemplateVersion(token, await aTemplateSource(pack));
    await executed(token, first, { parameters: { name: "Old" }, target: { repository } });
    const next = aSmallPack({
      files: { ...pack, "a b.txt": "spaced and changed\n", "bare.txt": "no newline yet", "new/made.txt": "made\n" },
    });
    const second = await aTemplateVersion(token, await aTemplateSource(next));
    const input = {
      parameters: { name: "Old" },
      target: { repository, onConflict: "overwrite" },
      libraries: [{ packageName: "Polly", version: "8.4.2" }],
    };
    const before = await cloneOf(
      (await executed(token, first, { ...input, libraries: [] })).output?.repository ?? "",
      token,
    );
    const { data } = await preview(second, input);
    const { files, error, truncated } = data.previewExecution;
    expect([error, truncated]).toEqual([null, false]);
    expect(Object.fromEntries(files.map((file) => [file.path, file.change]))).toEqual({
      "Old/Old.csproj": "Updated",
      "README.md": "Unchanged",
      "a b.txt": "Updated",
      "bare.txt": "Updated",
      "logo.bin": "Unchanged",
      "new/made.txt": "Created",
    });
    const patch = files.map(({ diff }) => diff ?? "").join("");
    const afterPatch = await before.apply(patch);
    const after = await cloneOf((await executed(token, second, input)).output?.repository ?? "", token);
    expect(afterPatch).toBe(await after.treeSha());
    await Promise.all([before.remove(), after.remove()]);
  });

  it("shows conflicts and does not fail, and shows the error with which an execution would fail", async () => {
    const repository = aRepository();
    await executed(token, version, { parameters: { name: "One" }, target: { repository } });
    const conflicting = await aTemplateVersion(
      token,
      await aTemplateSource(aSmallPack({ files: { "README.md": "# different\n" } })),
    );
    const { data } = await preview(conflicting, { parameters: { name: "One" }, target: { repository } });
    expect(data.previewExecution.files.filter(({ conflict }) => conflict).map((file) => file.path)).toEqual([
      "README.md",
    ]);
    expect(data.previewExecution.error).toMatchObject({ code: "TARGET_CONFLICT" });
    expect((await executed(token, conflicting, { parameters: { name: "One" }, target: { repository } })).error).toEqual(
      expect.objectContaining({ code: "TARGET_CONFLICT", message: data.previewExecution.error?.message }),
    );
    const brokenVersion = await aTemplateVersion(token, await aTemplateSource({ "nothing.txt": "here" }));
    const refusedPreview = await preview(brokenVersion, { target: { repository } });
    expect(refusedPreview.data.previewExecution).toMatchObject({ files: [], error: { code: "TEMPLATE_INVALID" } });
    const misspelt = { parameters: { nam: "One" }, target: { repository } };
    const unread = await aTemplateVersion(token, await aTemplateSource(aSmallPack()), {
      parameterSchema: { type: "object" },
    });
    const reading = await preview(unread, misspelt);
    expect(reading.data.previewExecution).toMatchObject({ files: [], error: { code: "PARAMETERS_INVALID" } });
    const strictPreview = await preview(unread, misspelt);
    expect(strictPreview.errors?.map(({ extensions }) => extensions.code)).toEqual(["PARAMETERS_INVALID"]);
  });

  it("refuses the same requests as the execution", async () => {
    const codes = async (input: object) =>
      (await preview(version, input)).errors?.map(({ extensions }) => extensions.code);
    expect(await codes({ target: { repository: "not a repository" } })).toEqual(["TARGET_INVALID"]);
    expect(await codes({ target: { repository: "a/b", onConflict: "maybe" } })).toEqual(["VALIDATION_FAILED"]);
  });
});
