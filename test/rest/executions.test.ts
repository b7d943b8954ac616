import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { cloneOf } from "../kit/clone.js";
import { rows } from "../kit/database.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { platform } from "../kit/platform.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished, type TestExecution, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const run = promisify(execFile);

const parameterSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["Owner"],
  properties: {
    name: { type: "string" },
    Owner: { type: "string", minLength: 2 },
    Port: { type: "integer", minimum: 1, maximum: 65535, default: 8080 },
    Database: { enum: ["None", "PostgreSql"], default: "None" },
  },
  additionalProperties: false,
};

const symbols = {
  Owner: { type: "parameter", datatype: "string", replaces: "OWNER-PLACE" },
  Port: { type: "parameter", datatype: "integer", defaultValue: "8080", replaces: "9090" },
  Database: {
    type: "parameter",
    datatype: "choice",
    defaultValue: "None",
    choices: [{ choice: "None" }, { choice: "PostgreSql" }],
  },
};

let tenant: TestTenant;
let token: string;
let version: TestVersion;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  const pack = aSmallPack({ config: { symbols }, files: { "owner.txt": "OWNER-PLACE listens on 9090\n" } });
  version = await aTemplateVersion(token, await aTemplateSource(pack), { parameterSchema });
});

const aRepository = () => `acme/r${Math.random().toString(36).slice(2)}`;

const execute = (input: Record<string, unknown>, headers: Record<string, string> = {}) =>
  request<{ executionId: string }>(`POST /v1/templates/${version.templateId}/execute`, {
    token,
    body: { templateVersionId: version.templateVersionId, parameters: { Owner: "Ada" }, ...input },
    headers,
  });

const executedInto = (repository: string, input: Record<string, unknown> = {}) =>
  executed(token, version, { parameters: { Owner: "Ada" }, target: { repository }, ...input });

describe("POST /v1/templates/{templateId}/execute", () => {
  it("returns the documented members at once", async () => {
    const { status, body, headers } = await execute({ target: { repository: aRepository() } });
    expect(status).toBe(202);
    expect(body).toEqual({ executionId: expect.stringMatching(/^exe_/), status: "Requested", scaffoldOutputId: null });
    expect(headers.get("location")).toBe(`/v1/templates/${version.templateId}/executions/${body.executionId}`);
    expect(headers.get("retry-after")).toBe("1");
    await finished(token, version.templateId, body.executionId);
  });

  it.each([
    ["a missing parameter", {}, ["/parameters/Owner"]],
    ["a value that is too short", { Owner: "A" }, ["/parameters/Owner"]],
    ["a value of another type", { Owner: "Ada", Port: "eighty" }, ["/parameters/Port"]],
    ["a value outside the enum", { Owner: "Ada", Database: "Oracle" }, ["/parameters/Database"]],
    ["several", { Owner: 7, Port: 0 }, ["/parameters/Owner", "/parameters/Port"]],
    ["a name that the schema does not define", { Owner: "Ada", Ownr: "x" }, ["/parameters/Ownr"]],
  ])("refuses parameters: %s", async (_, parameters, pointers) => {
    const answer = await execute({ parameters, target: { repository: aRepository() } });
    expect(refusal(answer)).toBe("422 PARAMETERS_INVALID");
    const fields = refusedFields(answer).map((field) => field.split(" ")[0]);
    expect(new Set(fields)).toEqual(new Set(pointers));
  });

  it("refuses a name that neither the schema nor the template defines, after the template was read once", async () => {
    const pack = aSmallPack({ config: { symbols } });
    const open = await aTemplateVersion(token, await aTemplateSource(pack), { parameterSchema: { type: "object" } });
    const target = { repository: aRepository() };
    const wrong = { parameters: { Owner: "Ada", Databse: "PostgreSql" }, target };
    // the first request is accepted, and its execution reads the template
    const first = await executed(token, open, wrong);
    const sentence = "Neither the parameterSchema nor the template defines this name. Similar names: Database.";
    expect(first).toMatchObject({
      status: "Failed",
      error: {
        code: "PARAMETERS_INVALID",
        details: { errors: [{ pointer: "/parameters/Databse", detail: sentence }] },
      },
    });
    const second = await request<{ errors: object[] }>(`POST /v1/templates/${open.templateId}/execute`, {
      token,
      body: { templateVersionId: open.templateVersionId, ...wrong },
    });
    expect(refusal(second)).toBe("422 PARAMETERS_INVALID");
    expect(second.body.errors).toEqual([
      { pointer: "/parameters/Databse", code: "UNKNOWN_VALUE", detail: sentence, keyword: "unevaluatedProperties" },
    ]);
    // the row is like one that an earlier release has stored
    await rows("update catalog.template_versions set facts = facts - 'parameterNames' where template_version_id = $1", [
      decodeId("tpv", open.templateVersionId),
    ]);
    expect((await executed(token, open, wrong)).error?.code).toBe("PARAMETERS_INVALID");
    await expect(executed(token, open, wrong)).rejects.toThrow("PARAMETERS_INVALID");
    const right = { parameters: { Owner: "Ada", Database: "PostgreSql", name: "Shop" }, target };
    expect((await executed(token, open, right)).status).toBe("Completed");
  });

  it.each([{ type: "nope" }, { $ref: "https://example.com/schema.json" }])(
    "refuses parameters when the version was stored with the schema %j before it was checked",
    async (schema) => {
      const old = await aTemplateVersion(token, "stored://nowhere");
      await rows("update catalog.template_versions set parameter_schema = $2 where template_version_id = $1", [
        decodeId("tpv", old.templateVersionId),
        schema,
      ]);
      const answer = await request(`POST /v1/templates/${old.templateId}/execute`, {
        token,
        body: { templateVersionId: old.templateVersionId, target: { repository: aRepository() } },
      });
      expect(refusal(answer)).toBe("422 PARAMETERS_INVALID");
      expect(answer.text).toContain("The parameterSchema of the version cannot be used.");
    },
  );

  it.each([
    ["a branch with two dots", { repository: "acme/x", branch: "a..b" }, "/target/branch"],
    ["a branch with a space", { repository: "acme/x", branch: "a b" }, "/target/branch"],
    ["a branch name that looks like an option", { repository: "acme/x", branch: "-x" }, "/target/branch"],
    ["a full ref name", { repository: "acme/x", branch: "refs/heads/main" }, "/target/branch"],
    ["a branch ending in .lock", { repository: "acme/x", branch: "a.lock" }, "/target/branch"],
    ["a repository with three parts", { repository: "a/b/c" }, "/target/repository"],
    ["a repository with a parent folder in its path", { repository: "../x" }, "/target/repository"],
    ["a repository with credentials", { repository: "https://u:p@example.com/x.git" }, "/target/repository"],
    ["the metadata address", { repository: "http://169.254.169.254/x.git" }, "/target/repository"],
    ["an unknown scheme", { repository: "ext::sh -c id" }, "/target/repository"],
  ])("refuses a target: %s", async (_, target, pointer) => {
    const answer = await execute({ target });
    expect(refusal(answer)).toBe("422 TARGET_INVALID");
    expect(refusedFields(answer)).toEqual([`${pointer} FORMAT`]);
  });

  it("refuses an unknown onConflict", async () => {
    const answer = await execute({ target: { repository: "acme/x", onConflict: "theirs" } });
    expect([refusal(answer), refusedFields(answer)]).toEqual([
      "422 TARGET_INVALID",
      ["/target/onConflict UNKNOWN_VALUE"],
    ]);
  });

  it("refuses a library that is listed twice", async () => {
    const library = { packageName: "Polly", version: "8.4.2" };
    const answer = await execute({
      target: { repository: aRepository() },
      libraries: [library, { ...library, packageName: "POLLY" }],
    });
    expect([refusal(answer), refusedFields(answer)]).toEqual(["422 LIBRARIES_INVALID", ["/libraries/1 DUPLICATE"]]);
  });
});

describe("an execution", () => {
  it("returns its complete state when it is polled", async () => {
    const repository = aRepository();
    const execution = await executedInto(repository, { correlation: { agentTaskId: "task-7" } });
    expect(execution).toEqual({
      executionId: expect.stringMatching(/^exe_/),
      templateId: version.templateId,
      templateVersionId: version.templateVersionId,
      status: "Completed",
      phase: null,
      scaffoldOutputId: expect.stringMatching(/^sca_/),
      requestedAt: expect.any(String),
      startedAt: expect.any(String),
      completedAt: expect.any(String),
      attempts: 1,
      target: { repository, branch: "main", connectionId: null },
      correlation: { agentTaskId: "task-7" },
      output: {
        repository: expect.stringContaining(`/${repository}.git`),
        branch: "main",
        commitSha: expect.stringMatching(/^[0-9a-f]{40}$/),
        treeSha: expect.stringMatching(/^[0-9a-f]{40}$/),
        changed: true,
        filesCreated: 3,
        filesUpdated: 0,
        contentDigest: expect.any(String),
        primaryOutputs: [],
      },
      pullRequest: null,
      manualInstructions: [],
      warnings: [],
      error: null,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      parameters: { Database: "None", Owner: "Ada", Port: 8080 },
      withheldParameters: [],
      libraries: [],
    });
  });

  it("uses defaults and makes the replacements of the template", async () => {
    const { output } = await executedInto(aRepository(), { parameters: { name: "Acme.Shop", Owner: "Ada" } });
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.files).toEqual(["Acme.Shop/Acme.Shop.csproj", "README.md", "owner.txt"]);
    expect(await clone.read("owner.txt")).toBe("Ada listens on 8080\n");
    expect(await clone.read("README.md")).toBe("# Acme.Shop\n");
    await clone.remove();
  });

  it("sends Retry-After while it runs, and returns 304 after it has ended", async () => {
    const { body } = await execute({ target: { repository: aRepository() } });
    const line = `GET /v1/templates/${version.templateId}/executions/${body.executionId}`;
    const early = await request<TestExecution>(line, { token });
    if (["Requested", "Running"].includes(early.body.status)) expect(early.headers.get("retry-after")).toBe("1");
    await finished(token, version.templateId, body.executionId);
    const final = await request(line, { token });
    expect(final.headers.get("retry-after")).toBeNull();
    const etag = final.headers.get("etag") ?? "";
    expect((await request(line, { token, headers: { "if-none-match": etag } })).status).toBe(304);
  });

  it("adds a commit to an existing branch, starts a new branch from the default branch, and keeps the commits of others", async () => {
    const repository = aRepository();
    const first = await executedInto(repository, { parameters: { name: "Acme.One", Owner: "Ada" } });
    const second = await executedInto(repository, {
      parameters: { name: "Acme.Two", Owner: "Ada" },
      target: { repository, branch: "main", onConflict: "overwrite" },
    });
    const third = await executedInto(repository, {
      parameters: { name: "Acme.Three", Owner: "Ada" },
      target: { repository, branch: "feature/three", onConflict: "overwrite" },
    });
    expect([first, second, third].map(({ status }) => status)).toEqual(["Completed", "Completed", "Completed"]);
    expect(second.output).toMatchObject({ changed: true, filesCreated: 1, filesUpdated: 1 });
    const clone = await cloneOf(second.output?.repository ?? "", token);
    expect(clone.commits).toHaveLength(2);
    expect(clone.files).toEqual(
      expect.arrayContaining(["Acme.One/Acme.One.csproj", "Acme.Two/Acme.Two.csproj", "README.md"]),
    );
    await clone.remove();
    expect(third.output).toMatchObject({ branch: "feature/three", changed: true });
  });

  it("pushes to an empty repository on another server", async () => {
    const folder = join(await mkdtemp(join(platform().dataDir, "target-")), "out.git");
    await run("git", ["init", "--quiet", "--bare", "--initial-branch=trunk", folder]);
    const repository = pathToFileURL(folder).href;
    const { status, output } = await executedInto(repository, { target: { repository, branch: "trunk" } });
    expect([status, output?.changed]).toEqual(["Completed", true]);
    const { stdout } = await run("git", ["--git-dir", folder, "ls-tree", "-r", "--name-only", "trunk"]);
    expect(stdout).toContain("owner.txt");
  });

  it("makes no commit when the branch has the result already", async () => {
    const repository = aRepository();
    const first = await executedInto(repository);
    const again = await executedInto(repository);
    expect(again).toMatchObject({ status: "Completed", output: { changed: false, filesCreated: 0, filesUpdated: 0 } });
    expect(again.output?.commitSha).toBe(first.output?.commitSha);
    expect(again.executionId).not.toBe(first.executionId);
  });

  it("fails with TARGET_CONFLICT when a file differs, and does not change the branch", async () => {
    const repository = aRepository();
    const first = await executedInto(repository, { parameters: { name: "Same", Owner: "Ada" } });
    const second = await executedInto(repository, { parameters: { name: "Same", Owner: "Grace" } });
    expect(second).toMatchObject({
      status: "Failed",
      phase: null,
      scaffoldOutputId: null,
      output: null,
      error: { code: "TARGET_CONFLICT", details: { paths: ["owner.txt"] } },
    });
    const clone = await cloneOf(first.output?.repository ?? "", token);
    expect(clone.commits).toHaveLength(1);
    expect(await clone.read("owner.txt")).toContain("Ada");
    await clone.remove();
  });

  it.each([
    ["cannot be reached", () => "git+http://127.0.0.1:9/none.git#main", "SOURCE_UNAVAILABLE"],
    ["is of an unknown kind", () => "artifact-registry:web-api/1.0", "SOURCE_UNAVAILABLE"],
    [
      "has no such branch",
      async () => (await aTemplateSource(aSmallPack())).replace("#main", "#none"),
      "SOURCE_UNAVAILABLE",
    ],
    ["contains no template", () => aTemplateSource({ "README.md": "x" }), "TEMPLATE_INVALID"],
    [
      "has a template that cannot be read",
      () => aTemplateSource({ ...aSmallPack(), ".template.config/template.json": "{" }),
      "TEMPLATE_INVALID",
    ],
    [
      "renames a file out of the scaffold",
      () =>
        aTemplateSource(
          aSmallPack({ config: { sources: [{ rename: { "a.txt": "../../out.txt" } }] }, files: { "a.txt": "a" } }),
        ),
      expect.stringMatching(/^(RENDER_FAILED|TEMPLATE_INVALID|SOURCE_UNSAFE)$/),
    ],
  ])("fails when its source %s, with a code and without a commit", async (_, source, code) => {
    const brokenVersion = await aTemplateVersion(token, await source());
    const repository = aRepository();
    const execution = await executed(token, brokenVersion, { target: { repository } });
    expect(execution).toMatchObject({ status: "Failed", scaffoldOutputId: null, output: null, error: { code } });
    expect(execution.error?.message).not.toBe("");
    const refs = await request(`GET /git/${tenant.slug}/${repository}.git/info/refs?service=git-upload-pack`, {
      token,
    });
    expect([200, 404]).toContain(refs.status);
    expect(refs.text).not.toContain("refs/heads/");
  });
});

describe("an Idempotency-Key", () => {
  const executeWithKey = (key: string, input: Record<string, unknown>) => execute(input, { "idempotency-key": key });
  const aKey = () => `key-${Math.random().toString(36).slice(2)}`;

  it("gives a repeated request one execution and one commit", async () => {
    const [key, repository] = [aKey(), aRepository()];
    const first = await executeWithKey(key, { target: { repository } });
    const again = await executeWithKey(key, { target: { repository } });
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect([again.status, again.body]).toEqual([202, first.body]);
    const { output } = await finished(token, version.templateId, first.body.executionId);
    const late = await executeWithKey(key, { target: { repository } });
    expect(late.body).toEqual(first.body);
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.commits).toHaveLength(1);
    await clone.remove();
  });

  it("gives ten requests at the same time one execution and one commit", async () => {
    const [key, repository] = [aKey(), aRepository()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => executeWithKey(key, { target: { repository } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    const ids = new Set(answers.map(({ body }) => body.executionId));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(9);
    const { output } = await finished(token, version.templateId, [...ids][0] ?? "");
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.commits).toHaveLength(1);
    await clone.remove();
  });

  it("is refused with another body", async () => {
    const key = aKey();
    await executeWithKey(key, { target: { repository: aRepository() } });
    expect(refusal(await executeWithKey(key, { target: { repository: aRepository() } }))).toBe(
      "422 IDEMPOTENCY_KEY_REUSED",
    );
  });

  it("can be used again after a refused request", async () => {
    const [key, repository] = [aKey(), aRepository()];
    expect((await executeWithKey(key, { target: { repository }, parameters: {} })).status).toBe(422);
    expect((await executeWithKey(key, { target: { repository } })).status).toBe(202);
  });
});
