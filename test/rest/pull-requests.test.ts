import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { aProvider } from "../kit/providers.js";
import {
  anotherSourceControlConnection,
  aSourceControlConnection,
  type ExecutionWithPullRequest,
  type SourceControlConnection,
} from "../kit/pull-requests.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aSourceControlVendor, type SourceControlVendor } from "../kit/source-control-vendor.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const vendorToken = `canary-${Math.random().toString(36).slice(2)}`;

describe.each(["github", "gitlab"] as const)("an execution whose target is a connection of the preset %s", (preset) => {
  let token: string;
  let version: TestVersion;
  let vendor: SourceControlVendor;
  let connection: SourceControlConnection;
  const repository = preset === "github" ? "acme/orders" : "acme/backend/orders";

  beforeAll(async () => {
    token = await (await aTenant()).tokenWith();
    [version, vendor] = await Promise.all([
      aTemplateSource(aSmallPack()).then((source) => aTemplateVersion(token, source)),
      aSourceControlVendor({ dialect: preset, token: vendorToken }),
    ]);
    await vendor.create(repository);
    connection = await aSourceControlConnection(token, preset, vendor, vendorToken);
  });
  beforeEach(() => {
    vendor.interfere = () => undefined;
  });
  afterAll(() => vendor?.close());

  const into = async (name: string, target: object = {}) =>
    (await executed(token, version, {
      parameters: { name },
      target: { repository, connectionId: connection.connectionId, onConflict: "overwrite", ...target },
    })) as ExecutionWithPullRequest;
  const executionOf = async ({ executionId }: { executionId: string }) =>
    (
      await request<ExecutionWithPullRequest>(`GET /v1/templates/${version.templateId}/executions/${executionId}`, {
        token,
      })
    ).body;
  const inState = (execution: ExecutionWithPullRequest, state: string) =>
    eventually(`the pull request is ${state}`, async () => (await executionOf(execution)).pullRequest?.state === state);

  it("pushes a branch of its own and opens a pull request, whose merge the vendor reports", async () => {
    const pullRequest = { title: "Add orders", body: "Please **review**.", labels: ["scaffold", "orders"] };
    const execution = await into("Orders", { pullRequest });
    expect(execution).toMatchObject({
      ...{ status: "Completed", error: null, warnings: [] },
      target: { repository, branch: "main", connectionId: connection.connectionId },
      output: { repository: `${vendor.origin}/${repository}.git`, branch: `scaffold/${execution.executionId}` },
      pullRequest: { number: 1, state: "Open", openedAt: expect.any(String), mergedAt: null, closedAt: null },
    });
    const branch = `scaffold/${execution.executionId}`;
    expect(vendor.pullRequests).toEqual([
      expect.objectContaining({ ...pullRequest, repository, branch, base: "main", state: "open" }),
    ]);
    expect(await vendor.git(repository, "show", `${branch}:Orders/Orders.csproj`)).toContain("net8.0");
    expect(await vendor.git(repository, "rev-parse", branch)).toBe(execution.output?.commitSha);
    expect(await vendor.git(repository, "ls-tree", "main")).toBe("");
    expect(JSON.stringify(execution)).not.toContain(vendorToken);

    const { number = 0 } = execution.pullRequest ?? {};
    const mergeAnswer = await vendor.move(number, "merge", connection.secret);
    expect(await connection.deliver(mergeAnswer)).toBe(202);
    await inState(execution, "Merged");
    // the same delivery again, and a late one from before the merge
    expect(await connection.deliver(mergeAnswer)).toBe(202);
    expect(await connection.deliver(vendor.opened(number, connection.secret))).toBe(202);
    const after = await into("Orders");
    expect(after).toMatchObject({
      ...{ status: "Completed", pullRequest: null, output: { changed: false } },
      warnings: [{ code: "PullRequestNotNeeded" }],
    });
    expect((await executionOf(execution)).pullRequest).toMatchObject({
      ...{ state: "Merged", mergedAt: expect.any(String), closedAt: expect.any(String) },
      openedAt: execution.pullRequest?.openedAt,
    });
    expect(vendor.pullRequests).toHaveLength(1);
  });

  it("shows that the pull request was closed and opened again", async () => {
    const execution = await into("Returns");
    const { number = 0 } = execution.pullRequest ?? {};
    const closeAnswer = await vendor.move(number, "close", connection.secret);
    await connection.deliver(closeAnswer);
    await inState(execution, "Closed");
    expect((await executionOf(execution)).pullRequest).toMatchObject({ mergedAt: null, closedAt: expect.any(String) });
    await connection.deliver(await vendor.move(number, "reopen", connection.secret));
    await inState(execution, "Open");
    expect((await executionOf(execution)).pullRequest).toMatchObject({ mergedAt: null, closedAt: null });
    const types = ["Opened", "Closed", "Reopened"].map((name) => `ScaffoldPullRequest${name}`);
    const events = await rows<{ type: string }>(
      `select envelope->>'type' as type from catalog.outbox where envelope->>'subject' = $1
         and envelope->>'type' like 'ScaffoldPull%' order by seq`,
      [`executions/${execution.executionId}`],
    );
    expect(events.map(({ type }) => type)).toEqual(types);
  });

  it("does not believe a report that is not signed, or that comes through another provider or account", async () => {
    const execution = await into("Invoices");
    const { number = 0 } = execution.pullRequest ?? {};
    const other = await aSourceControlConnection(token, preset, vendor, vendorToken);
    const forgery = await vendor.move(number, "merge", "another secret");
    expect(await connection.deliver(forgery)).toBe(401);
    expect(await other.deliver(await vendor.move(number, "merge", other.secret))).toBe(202);
    const account = await anotherSourceControlConnection(token, preset, connection, vendorToken);
    expect(await account.deliver(await vendor.move(number, "merge", account.secret))).toBe(202);
    await connection.deliver(vendor.opened(number, connection.secret));
    const again = await into("Invoices2");
    await connection.deliver(await vendor.move(again.pullRequest?.number ?? 0, "close", connection.secret));
    await inState(again, "Closed");
    expect((await executionOf(execution)).pullRequest).toMatchObject({ number, state: "Open" });
  });

  it("waits for a vendor that is down for a moment, and opens one pull request", async () => {
    let refusalCount = 0;
    vendor.interfere = (call, path) => {
      const isOpening = call.method === "POST" && /(pulls|merge_requests)$/.test(path);
      return isOpening && ++refusalCount <= 1 ? { status: 503 } : undefined;
    };
    const execution = await into("Payments");
    expect(execution).toMatchObject({ status: "Completed", pullRequest: { state: "Open" } });
    const ofBranch = vendor.pullRequests.filter(({ branch }) => branch === execution.output?.branch);
    expect([refusalCount, ofBranch.length]).toEqual([2, 1]);
  });

  it.each([
    ["a repository that does not exist", { repository: "acme/nothing" }, "TARGET_FORBIDDEN"],
    ["a base branch that does not exist", { branch: "develop" }, "TARGET_FORBIDDEN"],
  ])("fails with %s", async (_, target, code) => {
    expect(await into("Refused", target)).toMatchObject({ status: "Failed", pullRequest: null, error: { code } });
  });

  it("fails when the vendor refuses the pull request", async () => {
    vendor.interfere = (call, path) =>
      call.method === "POST" && /(pulls|merge_requests)$/.test(path) ? { status: 403 } : undefined;
    expect(await into("Refused")).toMatchObject({
      ...{ status: "Failed", pullRequest: null },
      error: { code: "TARGET_FORBIDDEN", details: { reason: "CREDENTIAL_REJECTED" } },
    });
  });

  it("leaves the token of the vendor out of everything that is stored", async () => {
    const storedTexts = await rows<{ found: string }>(
      `select (select coalesce(string_agg(o::text, ''), '') from catalog.outbox o)
         || (select coalesce(string_agg(e::text, ''), '') from catalog.executions e)
         || (select coalesce(string_agg(o::text, ''), '') from integration.outbox o)
         || (select coalesce(string_agg(r::text, ''), '') from integration.runs r) as found`,
    );
    expect(storedTexts[0]?.found).toContain(connection.connectionId);
    expect(storedTexts[0]?.found).not.toContain(vendorToken);
    expect(
      [...vendor.gitLogins].some((login) =>
        Buffer.from(login.slice(6), "base64").toString().endsWith(`:${vendorToken}`),
      ),
    ).toBe(true);
  });
});

describe("a target that is a connection", () => {
  let tenant: TestTenant;
  let token: string;
  let version: TestVersion;
  let vendor: SourceControlVendor;
  let connection: SourceControlConnection;

  beforeAll(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
    vendor = await aSourceControlVendor({ dialect: "github", token: vendorToken });
    await vendor.create("acme/orders");
    version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
    connection = await aSourceControlConnection(token, "github", vendor, vendorToken);
  });
  afterAll(() => vendor?.close());

  const refusalFor = async (target: object, as = token) => {
    const { templateId, templateVersionId } = version;
    const { connectionId } = connection;
    const body = { templateVersionId, target: { repository: "acme/orders", connectionId, ...target } };
    return refusal(await request(`POST /v1/templates/${templateId}/execute`, { token: as, body }));
  };

  it("is refused with the connection of another tenant, in the same words as an unknown one", async () => {
    const stranger = await (await aTenant()).tokenWith();
    const theirs = await aSourceControlConnection(stranger, "github", vendor, vendorToken);
    expect(await refusalFor({ connectionId: theirs.connectionId })).toBe("404 CONNECTION_NOT_FOUND");
    expect(await refusalFor({ connectionId: `con_${"0".repeat(26)}` })).toBe("404 CONNECTION_NOT_FOUND");
    expect(await refusalFor({ connectionId: "nothing" })).toBe("404 CONNECTION_NOT_FOUND");
  });

  it("is refused to a token that may not read connections", async () => {
    expect(await refusalFor({}, await tenant.tokenWith("templates.execute", "templates.read"))).toBe(
      "403 INSUFFICIENT_SCOPE",
    );
  });

  it("is refused with a provider that is not a source-control vendor, or lacks the capability", async () => {
    const connectionTo = async (provider: object) =>
      aConnection(token, await aProvider(token, { baseUrl: vendor.baseUrl, ...provider }), { authMode: "None" });
    const other = await connectionTo({ key: "other-vendor", capabilities: ["pull-requests.write"] });
    expect(await refusalFor({ connectionId: other })).toBe("422 CAPABILITY_MISSING");
    const reader = await connectionTo({ key: "reader", preset: "github", capabilities: ["repositories.read"] });
    expect(await refusalFor({ connectionId: reader })).toBe("422 CAPABILITY_MISSING");
  });

  it.each([
    ["a URL", { repository: "https://git.example/acme/orders.git" }],
    ["one name", { repository: "orders" }],
    ["three names", { repository: "acme/group/orders" }],
    ["a name with dots", { repository: "acme/.." }],
    ["a query", { repository: "acme/orders?x=1" }],
    ["a branch that is none", { branch: "a..b" }],
    ["a label with a comma", { pullRequest: { labels: ["a,b"] } }],
    ["a credential", { credentialRef: "some" }],
  ])("is refused with %s", async (_, target) => {
    expect(await refusalFor(target)).toBe("422 TARGET_INVALID");
  });

  it("is refused while the connection is suspended", async () => {
    const { connectionId } = await aSourceControlConnection(token, "github", vendor, vendorToken);
    await request(`POST /integrations/connections/${connectionId}/suspend`, { token, body: {} });
    expect(await refusalFor({ connectionId })).toBe("409 INVALID_STATE");
  });

  it("fails with a credential that the vendor refuses, or that is for other hosts", async () => {
    const { connectionId } = await aSourceControlConnection(token, "github", vendor, "wrong");
    const target = { repository: "acme/orders", connectionId };
    expect(await executed(token, version, { target })).toMatchObject({
      ...{ status: "Failed", error: { code: "TARGET_FORBIDDEN" } },
    });
    const material = { token: vendorToken, hosts: ["git.example"] };
    const { credentialRef } = await aCredential(token, { kind: "BearerToken", secret: material });
    const boundConnection = await aConnection(token, connection.providerId, { authMode: "BearerToken", credentialRef });
    expect(await executed(token, version, { target: { ...target, connectionId: boundConnection } })).toMatchObject({
      ...{ status: "Failed", error: { code: "TARGET_FORBIDDEN", details: { reason: "CREDENTIAL_UNUSABLE" } } },
    });
  });

  it("gets a further pull request for a newer version of the template, which keeps what people have changed", async () => {
    const repository = "acme/updated";
    await vendor.create(repository);
    const into = async (templateVersionId: string) =>
      (await executed(
        token,
        { ...version, templateVersionId },
        {
          parameters: { name: "Updated" },
          target: { repository, connectionId: connection.connectionId, onConflict: "merge" },
        },
      )) as ExecutionWithPullRequest;
    const first = await into(version.templateVersionId);
    await vendor.move(first.pullRequest?.number ?? 0, "merge", connection.secret);
    await vendor.edit(repository, "README.md", "# Updated\n\nOurs.\n");

    const project = "Company.App1/Company.App1.csproj";
    const newer = aSmallPack({ files: { [project]: (aSmallPack()[project] ?? "").replace("net8.0", "net9.0") } });
    const { body } = await request<{ templateVersionId: string }>(`POST /v1/templates/${version.templateId}/versions`, {
      token,
      body: {
        ...{ semanticVersion: "1.1.0", engineKind: "DotnetNewTemplatePack", targetFramework: "net9.0" },
        sourceRef: await aTemplateSource(newer),
      },
    });
    const second = await into(body.templateVersionId);
    expect(second).toMatchObject({ status: "Completed", pullRequest: { state: "Open" }, warnings: [] });
    expect(second.pullRequest?.number).not.toBe(first.pullRequest?.number);
    const branch = `scaffold/${second.executionId}`;
    expect(await vendor.git(repository, "diff", "--name-only", "main", branch)).toBe("Updated/Updated.csproj");
    expect(await vendor.git(repository, "show", `${branch}:README.md`)).toContain("Ours.");
    expect(await vendor.git(repository, "show", `${branch}:Updated/Updated.csproj`)).toContain("net9.0");
  });

  it("shows a merge that its vendor reports before the execution has ended", async () => {
    const repository = "acme/fast";
    await vendor.create(repository);
    const stateQuery = "select 1 from catalog.executions where repository = $1 and pull_request->>'state' = 'Merged'";
    vendor.interfere = async (_, path) => {
      if (!path.endsWith("/labels")) return undefined;
      const { number = 0 } = vendor.pullRequests.at(-1) ?? {};
      await connection.deliver(await vendor.move(number, "merge", connection.secret));
      await eventually("the merge is known", async () => (await rows(stateQuery, [repository])).length === 1);
      return { status: 500 };
    };
    const target = { repository, connectionId: connection.connectionId, pullRequest: { labels: ["fast"] } };
    const execution = await executed(token, version, { parameters: { name: "Fast" }, target });
    vendor.interfere = () => undefined;
    expect(execution).toMatchObject({
      ...{ status: "Completed", pullRequest: { state: "Merged" }, warnings: [{ code: "LabelsRefused" }] },
    });
    const events = await rows<{ type: string }>(
      `select envelope->>'type' as type from catalog.outbox where envelope->>'subject' = $1
         and envelope->>'type' like 'ScaffoldPull%' order by seq`,
      [`executions/${execution.executionId}`],
    );
    expect(events.map(({ type }) => type)).toEqual(["ScaffoldPullRequestOpened", "ScaffoldPullRequestMerged"]);
  });

  it("shows a pull request that its vendor has opened without an answer, so that the execution failed", async () => {
    const repository = "acme/unanswered";
    await vendor.create(repository);
    vendor.interfere = ({ method }, path) => {
      const isOpening = method === "POST" && path.endsWith("/pulls");
      return isOpening ? { status: 403 } : undefined;
    };
    const target = { repository, connectionId: connection.connectionId };
    const execution = await executed(token, version, { parameters: { name: "Unanswered" }, target });
    vendor.interfere = () => undefined;
    expect(execution).toMatchObject({ status: "Failed", pullRequest: null });
    await fetch(`${vendor.baseUrl}/repos/${repository}/pulls`, {
      method: "POST",
      headers: { authorization: `Bearer ${vendorToken}` },
      body: JSON.stringify({ head: `scaffold/${execution.executionId}`, base: "main", title: "Late" }),
    });
    const { number = 0 } = vendor.pullRequests.at(-1) ?? {};
    expect(await connection.deliver(vendor.opened(number, connection.secret))).toBe(202);
    const stateQuery = `select 1 from catalog.executions
      where repository = $1 and status = 'Failed' and pull_request->>'state' = 'Open'`;
    await eventually("the pull request is shown", async () => (await rows(stateQuery, [repository])).length === 1);
  });

  it("can be previewed, which pushes nothing", async () => {
    const { templateId, templateVersionId } = version;
    const input = { templateVersionId, target: { repository: "acme/orders", connectionId: connection.connectionId } };
    const branches = await vendor.git("acme/orders", "branch", "--list");
    const { body } = await graphql<{ previewExecution: { files: object[]; error: object | null } }>(
      `query ($id: ID!, $input: RequestExecutionInput!) {
        previewExecution(templateId: $id, input: $input) { files { path change } error { code message } } }`,
      { token, variables: { id: templateId, input } },
    );
    expect(body.data.previewExecution).toMatchObject({ error: null });
    expect(body.data.previewExecution.files.length).toBeGreaterThan(0);
    expect(await vendor.git("acme/orders", "branch", "--list")).toBe(branches);
  });
});
