import { execFileSync } from "node:child_process";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aGitServer } from "../kit/git-server.js";
import { aSmallPack } from "../kit/packs.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { aSilentHost } from "../kit/silent-host.js";
import { aTemplateSource, aTemplateVersion, finished, type TestExecution } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const deadlineMs = 180_000;
const password = `canary-${Math.random().toString(36).slice(2)}`;

/**
 * Stores the executions of this tenant as jobs that have interrupted their process three times and were then ended
 * after one minute alone. Without this the test would take minutes.
 */
async function acceptForChild({ tenantId, slug }: TestTenant): Promise<() => Promise<unknown>> {
  const name = `test_child_${slug}`;
  const named = (queue: string) => `when (new.group_id = '${tenantId}' and new.name = '${queue}')`;
  await rows(`
    create function catalog_jobs.${name}_move() returns trigger language plpgsql as $$
      begin new.name := 'execution.alone'; return new; end $$;
    create function catalog_jobs.${name}_note() returns trigger language plpgsql security definer as $$ begin
      insert into catalog_jobs.job_runs (job_id, queue, retry_count, interruptions, in_child)
        values (new.id, new.name, 0, 3, true) on conflict do nothing;
      return null; end $$;
    create trigger ${name}_move before insert on catalog_jobs.job_common for each row ${named("execution")}
      execute function catalog_jobs.${name}_move();
    create trigger ${name}_note after insert on catalog_jobs.job_common for each row ${named("execution.alone")}
      execute function catalog_jobs.${name}_note();`);
  return () =>
    rows(`drop trigger ${name}_move on catalog_jobs.job_common; drop trigger ${name}_note on catalog_jobs.job_common;
      drop function catalog_jobs.${name}_move(), catalog_jobs.${name}_note();`);
}

/** The child processes of the platform that run an execution, with their command lines. */
function children(): { pid: number; line: string }[] {
  const listed = execFileSync("ps", ["-ww", "-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return listed.flatMap((line) => {
    const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s/.exec(line) ?? [];
    return Number(parent) === platform().pid && line.includes("execution-process") ? [{ pid: Number(pid), line }] : [];
  });
}

describe("an execution that takes longer than a run on its own may take", () => {
  const undo: (() => unknown)[] = [];
  let tenant: TestTenant;
  let token: string;

  beforeEach(async () => {
    tenant = await aTenant();
    token = await tenant.tokenWith();
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it("completes in a child process, with the secrets of the tenant and with its events", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
    const host = await aGitServer({ username: "robot", password });
    undo.push(() => host.close());
    const credential = { name: "git-host", kind: "Basic", secret: { username: "robot", password } };
    expect((await request("POST /integrations/credentials", { token, body: credential })).status).toBe(201);
    undo.push(await acceptForChild(tenant));
    const execution = await executed(token, version, {
      parameters: { name: "Orders" },
      target: { repository: host.url, branch: "main", credentialRef: "secret://git-host" },
    });
    expect(execution).toMatchObject({ status: "Completed", output: { changed: true } });
    expect(await host.git("show", "main:Orders/Orders.csproj")).toContain("net8.0");
    const ran = () =>
      rows<{ in_child: boolean; ended: boolean }>(
        "select in_child, ended_at is not null as ended from catalog_jobs.alone_runs where group_id = $1",
        [tenant.tenantId],
      );
    await eventually("its run has ended", async () => (await ran())[0]?.ended === true, deadlineMs);
    expect(await ran()).toEqual([{ in_child: true, ended: true }]);
    const published = () =>
      rows("select from catalog.outbox where tenant_id::text = $1 and published_at is null", [tenant.tenantId]);
    await eventually("its events are published", async () => (await published()).length === 0, deadlineMs);
  });

  it("is Failed with WORKER_DIED when its child process has died three times, and other executions are not affected", async () => {
    const silent = await aSilentHost();
    undo.push(() => silent.close());
    const { templateId, templateVersionId } = await aTemplateVersion(token, `git+${silent.url}/hangs.git#main`);
    undo.push(await acceptForChild(tenant));
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const accepted = await request<TestExecution>(`POST /v1/templates/${templateId}/execute`, { token, body });
    expect(accepted.status).toBe(202);

    const neighbor = await (await aTenant()).tokenWith();
    const small = await aTemplateVersion(neighbor, await aTemplateSource(aSmallPack()));
    const killed = new Set<number>();
    for (let death = 1; death <= 3; death += 1) {
      let child: { pid: number; line: string } | undefined;
      const found = () => (child = silent.open() > 0 ? children().find(({ pid }) => !killed.has(pid)) : undefined);
      await eventually(`child ${death} fetches`, () => found() !== undefined, deadlineMs);
      if (!child) throw new Error("It has just been found");
      expect(child.line).not.toContain("postgres");
      const beside = await executed(neighbor, small, { target: { repository: `acme/beside-${death}` } });
      expect(beside.status).toBe("Completed");
      process.kill(child.pid, "SIGKILL");
      killed.add(child.pid);
    }
    expect(await finished(token, templateId, accepted.body.executionId)).toMatchObject({
      status: "Failed",
      error: { code: "WORKER_DIED" },
    });
    await eventually("no child is left", () => children().length === 0, deadlineMs);
  });
});
