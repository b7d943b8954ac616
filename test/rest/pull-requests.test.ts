import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import {
  aSourceControlConnection,
  type ExecutionWithPullRequest,
  type SourceControlConnection,
} from "../kit/pull-requests.js";
import { request } from "../kit/request.js";
import { aSourceControlVendor, type SourceControlVendor } from "../kit/source-control-vendor.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

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

  const into = async (name: string, target: object = {}, parameters = {}) =>
    (await executed(token, version, {
      parameters: { name, ...parameters },
      target: { repository, connectionId: connection.connectionId, ...target },
    })) as ExecutionWithPullRequest;
  const read = async ({ executionId }: { executionId: string }) =>
    (
      await request<ExecutionWithPullRequest>(`GET /v1/templates/${version.templateId}/executions/${executionId}`, {
        token,
      })
    ).body;
  const inState = (execution: ExecutionWithPullRequest, state: string) =>
    eventually(`the pull request is ${state}`, async () => (await read(execution)).pullRequest?.state === state);

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
    const merged = await vendor.move(number, "merge", connection.secret);
    expect(await connection.deliver(merged)).toBe(202);
    await inState(execution, "Merged");
    // the same delivery again, and a late one from before the merge
    expect(await connection.deliver(merged)).toBe(202);
    expect(await connection.deliver(vendor.opened(number, connection.secret))).toBe(202);
    const after = await into("Orders");
    expect(after).toMatchObject({
      ...{ status: "Completed", pullRequest: null, output: { changed: false } },
      warnings: [{ code: "PullRequestNotNeeded" }],
    });
    expect((await read(execution)).pullRequest).toMatchObject({
      ...{ state: "Merged", mergedAt: expect.any(String), closedAt: expect.any(String) },
      openedAt: execution.pullRequest?.openedAt,
    });
    expect(vendor.pullRequests).toHaveLength(1);
  });
});
