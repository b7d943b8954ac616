import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
} from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { tenantScopes } from "@factory/schema/scopes";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { request } from "../kit/request.js";
import type { TestExecution, TestVersion } from "../kit/templates.js";

/** A generous limit for the time until the next start continues the work of a killed process. */
const takeoverMs = 360_000;
/** Two platforms at the same time. Each is killed once in every phase of its list, which its failpoint names. */
const phasesOfPlatforms = [
  ["execution.fetching", "execution.injecting", "repository.received", "execution.pushed"],
  ["execution.rendering", "execution.pushing", "repository.committed", "execution.completed"],
] as const;

const nameOf = (phase: string) => phase.slice(phase.indexOf(".") + 1);

interface Outcome {
  readonly attempts: number;
  readonly commits: number;
  readonly project: boolean;
}

/** One platform that is killed in one phase after the other, each time with a new execution. */
class RepeatedlyKilledPlatform {
  readonly outcomes: Record<string, Outcome> = {};
  platform: PlatformProcess | undefined;
  readonly #home: PlatformHome;
  #client: ClientCredentials | undefined;
  #token = "";
  #base = "";
  #template = { templateId: "", templateVersionId: "" };

  constructor(home: PlatformHome) {
    this.#home = home;
  }

  async close(): Promise<void> {
    await this.platform?.stop();
    await this.#home.close();
  }

  async runPhases(phases: readonly string[]): Promise<void> {
    let left: { phase: string; executionId: string } | undefined;
    for (const phase of [...phases, undefined]) {
      // the remaining work of the former process passes the failpoint first
      const passes = left ? 2 : 1;
      const platform = await this.#home.start(phase === undefined ? {} : { FAIL: `${phase}:kill:${passes}` });
      this.platform = platform;
      this.#base = platform.publicUrl;
      if (left) await this.#signIn(platform);
      else await this.#settle(platform);
      if (left) this.outcomes[left.phase] = await this.#outcome(left);
      if (phase === undefined) return;
      const { templateId, templateVersionId } = this.#template;
      const { executionId } = await this.#post<{ executionId: string }>(`/v1/templates/${templateId}/execute`, {
        templateVersionId,
        target: { repository: `acme/${nameOf(phase)}` },
        libraries: [{ packageName: "Polly", version: "8.4.2" }],
      });
      left = { phase, executionId };
      expect(await platform.ended).toBeNull();
    }
  }

  async #settle(platform: PlatformProcess): Promise<void> {
    const admin = await this.#home.adminToken(platform);
    const { tenantId } = await ensureTenant(platform, admin, "crash", "Crash");
    this.#client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
    await this.#signIn(platform);
    const { templateId } = await this.#post<{ templateId: string }>("/v1/templates", { name: "Web API" });
    const { templateVersionId } = await this.#post<TestVersion>(`/v1/templates/${templateId}/versions`, {
      semanticVersion: "1.0.0",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
      sourceRef: `git+file://${this.#home.dataDir}/samples/web-api.git#main`,
    });
    this.#template = { templateId, templateVersionId };
  }

  async #signIn(platform: PlatformProcess): Promise<void> {
    if (!this.#client) throw new Error("The first start makes the client");
    this.#token = await accessToken(platform, this.#client);
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    return (await request<T>(`POST ${path}`, { base: this.#base, token: this.#token, body })).body;
  }

  async #outcome(left: { phase: string; executionId: string }): Promise<Outcome> {
    const [base, token] = [this.#base, this.#token];
    const path = `/v1/templates/${this.#template.templateId}/executions/${left.executionId}`;
    const read = async () => (await request<TestExecution & { attempts: number }>(`GET ${path}`, { base, token })).body;
    await eventually(`${left.phase}: it completes`, async () => (await read()).status === "Completed", takeoverMs);
    const { output, attempts } = await read();
    const clone = await cloneOf(base + new URL(output?.repository ?? "").pathname, token);
    const { commits, files } = clone;
    const name = nameOf(left.phase);
    await clone.remove();
    return { attempts, commits: commits.length, project: files.includes(`src/${name}/${name}.csproj`) };
  }
}

describe("kill -9 at every phase of an execution", () => {
  let all: RepeatedlyKilledPlatform[] = [];

  beforeAll(async () => {
    const homes = await Promise.all(phasesOfPlatforms.map(() => PlatformHome.open({ ownServer: true })));
    all = homes.map((home) => new RepeatedlyKilledPlatform(home));
  });
  afterAll(async () => {
    await Promise.all(all.map((platform) => platform.close()));
  });

  it("is continued by the next start and makes one commit", async () => {
    await Promise.all(all.map((platform, place) => platform.runPhases(phasesOfPlatforms[place] ?? [])));
    const resumed = { attempts: 2, commits: 1, project: true };
    expect(Object.assign({}, ...all.map(({ outcomes }) => outcomes))).toEqual({
      ...Object.fromEntries(phasesOfPlatforms.flat().map((phase) => [phase, resumed])),
      // the execution had completed before the kill, so the next run of its job has nothing to do
      "execution.completed": { ...resumed, attempts: 1 },
    });
  });
});
