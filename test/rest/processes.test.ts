import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ClientCredentials } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { type Clone, cloneOf } from "../kit/clone.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFlag } from "../kit/feature-flags.js";
import { aSmallPack } from "../kit/packs.js";
import { aPerson, type Person } from "../kit/people.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTemplateSource, aTemplateVersion, finished, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let group: PlatformGroup;
let processes: readonly [PlatformProcess, PlatformProcess];
let tenant: TestTenant;
let token: string;
let version: TestVersion;
let client: ClientCredentials;
let otherClient: ClientCredentials;
let person: Person;

beforeAll(async () => {
  group = await PlatformGroup.open();
  const first = await group.start({});
  group.use(first);
  tenant = await aTenant();
  token = await tenant.tokenWith();
  version = await aTemplateVersion(
    token,
    await aTemplateSource(aSmallPack({ files: { "Company.App1.txt": "one file" } })),
  );
  client = await aPasswordClient(tenant.tenantId);
  otherClient = await aPasswordClient(tenant.tenantId);
  // either process may send a mail, and the kit looks for it in the first one's folder
  person = await aPerson(tenant);
  processes = [first, await group.start({})];
});

afterAll(() => group?.close());

const acceptedAnswer = "404 TEMPLATE_NOT_FOUND";

/** Each process's answer to the access token at the REST API. */
const answersTo = (token: string) =>
  Promise.all(
    processes.map(async ({ publicUrl: base }) =>
      refusal(await request("GET /v1/templates/tpl_01jz3b0q8xk0n8v3m1w6y5t2r7", { token, base })),
    ),
  );

/** One refresh in each process, the second after the first one's answer. */
async function refreshedInBoth(refreshToken: string) {
  const [firstProcess, other] = processes;
  const second = await refreshed(client, refreshToken, firstProcess.publicUrl);
  return [second, await refreshed(client, refreshToken, other.publicUrl)] as const;
}

/** Stores that the refresh token was first used so many seconds ago. */
const firstUsed = (refreshToken: string, secondsAgo: number) =>
  rows("update spine.oidc_artifacts set consumed_at = now() - make_interval(secs => $2) where id_digest = $1", [
    hash("sha256", refreshToken, "hex"),
    secondsAgo,
  ]);

/** A use in one process has ended the family: no token works in any process. */
async function expectEnded(accessTokens: readonly string[], refreshTokens: readonly string[]): Promise<void> {
  for (const token of accessTokens)
    await eventually("both processes refuse the access token", async () =>
      (await answersTo(token)).every((answer) => answer === "401 TOKEN_INVALID"),
    );
  for (const { publicUrl } of processes)
    for (const token of refreshTokens)
      expect(await refreshed(client, token, publicUrl)).toMatchObject({ status: 400, error: "invalid_grant" });
}

describe("two uses of one refresh token in two processes", () => {
  it("give the same successor, and access tokens that both processes accept", async () => {
    const first = await signedIn(client, person);
    const [second, again] = await refreshedInBoth(first.refresh_token);
    expect([second.status, again.status]).toEqual([200, 200]);
    expect(again.refresh_token).toBe(second.refresh_token);
    expect(again.access_token).not.toBe(second.access_token);
    for (const token of [first, second, again].map(({ access_token }) => access_token))
      expect(await answersTo(token)).toEqual([acceptedAnswer, acceptedAnswer]);
    for (const { publicUrl } of processes)
      expect((await refreshed(client, again.refresh_token, publicUrl)).status).toBe(200);
  });

  it("give one successor when they come at the same time", async () => {
    let { refresh_token: current } = await signedIn(client, person);
    for (let round = 0; round < 10; round += 1) {
      const uses = processes.flatMap(({ publicUrl }) => [publicUrl, publicUrl]);
      const answers = await Promise.all(uses.map((base) => refreshed(client, current, base)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const [successor = "", ...others] = new Set(answers.map(({ refresh_token }) => refresh_token));
      expect([successor === current, others]).toEqual([false, []]);
      for (const { access_token: token } of answers)
        expect(await answersTo(token)).toEqual([acceptedAnswer, acceptedAnswer]);
      current = successor;
    }
  });

  it.each([0, 1])("are the last ones after the successor was used in process %i", async (user) => {
    const first = await signedIn(client, person);
    const [second, again] = await refreshedInBoth(first.refresh_token);
    const third = await refreshed(client, second.refresh_token, processes[user]?.publicUrl);
    expect(third.status).toBe(200);
    const late = await refreshed(client, first.refresh_token, processes[1 - user]?.publicUrl);
    expect(late).toMatchObject({ status: 400, error: "invalid_grant" });
    await expectEnded(
      [first, second, again, third].map(({ access_token }) => access_token),
      [third.refresh_token],
    );
  });

  it("end the sign-in in both processes when the second comes more than ten seconds later", async () => {
    const first = await signedIn(client, person);
    const [second] = await refreshedInBoth(first.refresh_token);
    await firstUsed(first.refresh_token, 5);
    const again = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
    await firstUsed(first.refresh_token, 11);
    const late = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect(late).toMatchObject({ status: 400, error: "invalid_grant" });
    await expectEnded([second.access_token, again.access_token], [second.refresh_token]);
  });

  it("give another client nothing, and the sign-in goes on", async () => {
    const first = await signedIn(client, person);
    const second = await refreshed(client, first.refresh_token, processes[0].publicUrl);
    for (const { publicUrl } of processes)
      for (const token of [first.refresh_token, second.refresh_token])
        expect(await refreshed(otherClient, token, publicUrl)).toMatchObject({ status: 400, error: "invalid_grant" });
    // the refused uses may have taken long
    await firstUsed(first.refresh_token, 1);
    const again = await refreshed(client, first.refresh_token, processes[1].publicUrl);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
    expect((await refreshed(client, again.refresh_token, processes[0].publicUrl)).status).toBe(200);
  });
});

const evaluated = async (base: string) => {
  const { body } = await request("POST /ofrep/v1/evaluate/flags/shared", { base, token, body: {} });
  return body["value"];
};

describe("a feature flag", () => {
  it("is evaluated with its change at once in the own process, and soon in the other one", async () => {
    const [one, { publicUrl: secondUrl }] = processes;
    await aFlag(token, "shared", { enabled: false });
    await eventually("both know the flag", async () => (await evaluated(secondUrl)) === false);
    for (let round = 0; round < 10; round += 1) {
      const enabled = round % 2 === 0;
      await aFlag(token, "shared", { enabled });
      expect(await evaluated(one.publicUrl)).toBe(enabled);
      await eventually("the other process has the change", async () => (await evaluated(secondUrl)) === enabled);
    }
  });
});

/** Requests an execution at one process. Either process runs it. */
async function execute(base: string, name: string, target: Record<string, unknown>): Promise<string> {
  const { templateId, templateVersionId } = version;
  const accepted = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
    ...{ token, base },
    body: { templateVersionId, parameters: { name }, target: { onConflict: "overwrite", ...target } },
  });
  if (accepted.status !== 202) throw new Error(accepted.text);
  return accepted.body.executionId;
}

const end = (executionId: string) => finished(token, version.templateId, executionId);
const cloneFrom = ({ publicUrl }: PlatformProcess, repository: string) =>
  cloneOf(`${publicUrl}/git/${tenant.slug}/${repository}.git`, token);

/** The ids of the executions whose commits a clone has, the newest first. */
const executionsIn = ({ commits }: Clone) =>
  commits.map((message) => /^Execution-Id: (\S+)$/m.exec(message)?.[1] ?? message);

// its last test ends one of the processes
describe("a repository of a platform of two processes", () => {
  it("has the commits of four executions that alternate between them, in one line, in clones from both", async () => {
    const pushed: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const base = processes[turn % 2]?.publicUrl ?? "";
      const executionId = await execute(base, `Part${turn}`, { repository: "acme/alternating" });
      expect(await end(executionId)).toMatchObject({ status: "Completed", error: null });
      pushed.unshift(executionId);
    }
    for (const process of processes) {
      const clone = await cloneFrom(process, "acme/alternating");
      expect(executionsIn(clone)).toEqual(pushed);
      const texts = clone.files.filter((file) => file.endsWith(".txt"));
      expect(texts).toEqual(Array.from({ length: 4 }, (_, turn) => `Part${turn}.txt`));
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
