import { execFile } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readJson } from "@factory/platform/client/platform-api";
import { removeData, temporaryDataDirectory } from "@factory/platform/client/platform-process";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFailedJob } from "../kit/failed-jobs.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, platformToken } from "../kit/tenants.js";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../gateway/platform/dist/jobs.js", import.meta.url));
const tokenScript = fileURLToPath(new URL("../../gateway/platform/dist/token.js", import.meta.url));
const base = () => platform().internalUrl;

interface Job {
  jobId: string;
  queue: string;
  tenantId: string;
  state: string;
  reason: string | null;
}

interface Page {
  items: Job[];
  nextCursor: string | null;
}

/** Stores a mail of an unknown kind, so that its job fails. */
async function aFailedMail(tenantId: string): Promise<string> {
  const [job] = await rows<{ id: string }>(
    `insert into spine_jobs.job (name, data, state, group_id, singleton_key, retry_limit, output, completed_on, dead_letter)
     values ('send-mail', $1, 'failed', $2, 'msg_1', 8, '{"message": "refused"}', now(), 'send-mail.dead') returning id`,
    [{ tenantId, mailId: "msg_1", kind: "none", about: "x" }, tenantId],
  );
  return job?.id ?? "";
}

describe("GET /jobs", () => {
  it("requires a platform administrator", async () => {
    const tenant = await aTenant();
    expect((await request("GET /jobs", { base: base() })).status).toBe(401);
    expect((await request("GET /jobs", { base: base(), token: await tenant.tokenWith() })).status).toBe(403);
    expect((await request("GET /jobs", { token: await platformToken("tenant.manage") })).status).toBe(404);
  });

  it("shows failed jobs of all tenants without payloads, over HTTP and by npm run jobs", async () => {
    const { tenantId } = await aTenant();
    const jobId = await aFailedMail(tenantId);
    const token = await platformToken("tenant.manage");
    const { body, text } = await request<{ items: Job[] }>("GET /jobs?limit=200", { base: base(), token });
    expect(body.items.find((job) => job.jobId === jobId)).toMatchObject({
      queue: "send-mail",
      tenantId,
      state: "Failed",
      reason: "refused",
    });
    expect(text).not.toContain("about");
    const output = async (dataDir: string) => {
      const env = { PATH: process.env["PATH"], DATA_DIR: dataDir };
      return (await run(process.execPath, ["--no-warnings", script], { env })).stdout;
    };
    expect(await output(platform().dataDir)).toContain(jobId);
    // behind a proxy, the public address may not lead here from this machine
    const behindProxy = await temporaryDataDirectory();
    await copyFile(join(platform().dataDir, "bootstrap.json"), join(behindProxy, "bootstrap.json"));
    const running = await readJson<object>(platform().dataDir, "runtime.json");
    const runtimeFile = JSON.stringify({ ...running, publicUrl: "https://factory.invalid" });
    await writeFile(join(behindProxy, "runtime.json"), runtimeFile);
    expect(await output(behindProxy)).toContain(jobId);
    await removeData(behindProxy);
  });

  it("has tools that say what to do after a misspelled option and when the platform was killed", async () => {
    const outputOf = (script: string, dataDir: string, ...args: string[]) =>
      run(process.execPath, ["--no-warnings", script, ...args], {
        env: { PATH: process.env["PATH"], DATA_DIR: dataDir },
      })
        .then(() => "")
        .catch(({ stderr }: { stderr: string }) => stderr);
    const [dataDir, closedUrl] = [await temporaryDataDirectory(), "http://127.0.0.1:1"];
    await writeFile(join(dataDir, "runtime.json"), JSON.stringify({ publicUrl: closedUrl, internalUrl: closedUrl }));
    for (const tool of [script, tokenScript]) {
      expect(await outputOf(tool, dataDir)).toBe(
        `No platform runs with the data directory ${dataDir}. Start it with "npm start".\n`,
      );
      expect(await outputOf(tool, dataDir, "--scope", "x")).toContain("npm run -s");
    }
    await removeData(dataDir);
  });

  it("lists all failed jobs in pages", async () => {
    const { tenantId } = await aTenant();
    const jobIds = [await aFailedMail(tenantId), await aFailedMail(tenantId), await aFailedMail(tenantId)];
    const token = await platformToken("tenant.manage");
    const listedIds: string[] = [];
    let after = "";
    for (let page = 0; page < 50 && (page === 0 || after !== ""); page += 1) {
      const { body } = await request<{ items: Job[]; nextCursor: string | null }>(`GET /jobs?limit=2${after}`, {
        base: base(),
        token,
      });
      listedIds.push(...body.items.map(({ jobId }) => jobId));
      after = body.nextCursor === null ? "" : `&after=${body.nextCursor}`;
    }
    expect(listedIds.filter((id) => jobIds.includes(id))).toEqual([...jobIds].reverse());
  });
});

describe("POST /jobs/{queue}/{jobId}/redrive", () => {
  const redrive = async (queue: string, jobId: string, token?: string) =>
    (await request(`POST /jobs/${queue}/${jobId}/redrive`, { base: base(), token })).status;

  it("returns 404 for an unknown job, and refuses a caller who is not a platform administrator", async () => {
    const tenant = await aTenant();
    const jobId = await aFailedMail(tenant.tenantId);
    expect(await redrive("send-mail", jobId)).toBe(401);
    expect(await redrive("send-mail", jobId, await tenant.tokenWith())).toBe(403);
    const token = await platformToken("tenant.manage");
    expect(await redrive("nothing", jobId, token)).toBe(404);
    expect(await redrive("send-mail", "x", token)).toBe(404);
    // no mail waits for this job
    expect(await redrive("send-mail", jobId, token)).toBe(409);
  });
});

describe("GET /bus/dead-letters", () => {
  it("shows the messages that a consumer could not process, and delivers them again", async () => {
    const { tenantId } = await aTenant();
    const envelope = {
      id: "evt_1",
      tenantid: tenantId,
      type: "TenantRegistered",
      subject: "tenants/x",
      data: { a: 1 },
    };
    await rows("insert into bus.dead_letters (consumer, position, envelope, error) values ($1, $2, $3, $4)", [
      "test.nobody",
      "7",
      envelope,
      "refused",
    ]);
    const token = await platformToken("tenant.manage");
    expect((await request("GET /bus/dead-letters", { base: base() })).status).toBe(401);
    const { body, text } = await request<{ items: object[] }>("GET /bus/dead-letters?limit=200", {
      base: base(),
      token,
    });
    expect(body.items).toContainEqual(
      expect.objectContaining({ consumer: "test.nobody", position: "7", tenantId, error: "refused" }),
    );
    expect(text).not.toContain('"data"');
    const redrive = async (position: string) =>
      (await request(`POST /bus/dead-letters/test.nobody/${position}/redrive`, { base: base(), token })).status;
    expect([await redrive("8"), await redrive("x"), await redrive("7"), await redrive("7")]).toEqual([
      404, 404, 202, 404,
    ]);
    await rows("delete from bus.held where consumer = 'test.nobody'");
  });
});

describe("GET /jobs/lying", () => {
  it("counts rows that wait for a missing job, by slice", async () => {
    await eventually("every row is in a final state", async () => {
      const { status, body } = await request<Record<string, number>>("GET /jobs/lying", { base: base() });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(
        expect.arrayContaining(["executions", "executionReservations", "mails", "provisioning"]),
      );
      return Object.values(body).every((count) => count === 0);
    });
  });
});

describe("GET /v1/jobs", () => {
  it("shows a tenant its own failed jobs of all subgraphs, the newest first and page by page", async () => {
    const [tenant, other] = [await aTenant(), await aTenant()];
    const { tenantId } = tenant;
    const failedIds = [
      await aFailedMail(tenantId),
      (await aFailedJob("catalog", "import-package", tenantId)).jobId,
      await aFailedMail(tenantId),
    ];
    const token = await tenant.tokenWith("jobs.read");
    const listed: Job[] = [];
    const pageAt = (path: string) => request<Page>(`GET ${path}`, { token });
    for (let path: string | null = "/v1/jobs?limit=2"; path !== null; ) {
      const { items, nextCursor }: Page = (await pageAt(path)).body;
      listed.push(...items);
      path = nextCursor && `/v1/jobs?limit=2&cursor=${nextCursor}`;
    }
    expect(listed.map(({ jobId }) => jobId)).toEqual(failedIds.toReversed());
    expect(listed.map(({ queue, reason }) => `${queue}: ${reason}`)).toEqual(
      ["send-mail", "import-package", "send-mail"].map((queue) => `${queue}: An internal error occurred.`),
    );
    expect((await request<{ items: Job[] }>("GET /v1/jobs", { token: await other.tokenWith() })).body.items).toEqual(
      [],
    );
  });

  it("lets a tenant send its failed job again, once, whichever subgraph has it", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith("jobs.manage");
    for (const [schema, queue] of [
      ["catalog", "import-package"],
      ["spine", "expire-invitation"],
    ] as const) {
      const { jobId } = await aFailedJob(schema, queue, tenant.tenantId);
      const redrive = (by: string) => request<Job>(`POST /v1/jobs/${jobId}/redrive`, { token: by });
      expect(refusal(await redrive(await (await aTenant()).tokenWith()))).toBe("404 JOB_NOT_FOUND");
      const { status, body } = await redrive(token);
      expect([status, body.jobId, body.state]).toEqual([200, jobId, "Redriven"]);
      expect(refusal(await redrive(token))).toBe("409 INVALID_STATE");
    }
  });
});
