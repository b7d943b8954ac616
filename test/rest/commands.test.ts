import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, platformToken } from "../kit/tenants.js";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../gateway/platform/dist/command.js", import.meta.url));
const base = () => platform().internalUrl;
const mail = { to: ["ada@people.example"], from: "me@sender.example", subject: "Hello", text: "You." };

/** The event that answers a command. */
async function answerTo(commandId: string): Promise<Envelope | undefined> {
  let reply: Envelope | undefined;
  await eventually("the command is answered", async () => {
    const [row] = await rows<{ envelope: Envelope }>(
      "select envelope from integration.outbox where envelope->>'causationid' = $1",
      [commandId],
    );
    reply = row?.envelope;
    return reply !== undefined;
  });
  return reply;
}

describe("POST /commands", () => {
  it("requires a platform administrator on the internal listener", async () => {
    const tenant = await aTenant();
    const body = { tenantId: tenant.tenantId, type: "SendEmail", data: mail };
    expect((await request("POST /commands", { base: base(), body })).status).toBe(401);
    expect((await request("POST /commands", { base: base(), body, token: await tenant.tokenWith() })).status).toBe(403);
    expect((await request("POST /commands", { body, token: await platformToken("tenant.manage") })).status).toBe(404);
  });

  it.each<[object, number, string]>([
    [{ type: "LaunchRocket" }, 422, "/type"],
    [{ type: "PublishTemplateVersion" }, 422, "/type"],
    [{ tenantId: "acme" }, 400, "/tenantId"],
    [{ data: [] }, 400, "/data"],
    [{ data: { ...mail, to: [] } }, 400, "/to"],
    [{ expiresInSeconds: 0.5 }, 400, "/expiresInSeconds"],
  ])("refuses %j with %s", async (change, status, pointer) => {
    const { tenantId } = await aTenant();
    const token = await platformToken("tenant.manage");
    const body = { tenantId, type: "SendEmail", data: mail, ...change };
    const answer = await request<{ errors: unknown }>("POST /commands", { base: base(), token, body });
    expect(answer.status).toBe(status);
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer })]);
  });

  it("sends a command for a tenant, with one audit record, by npm run command too", async () => {
    const { tenantId } = await aTenant();
    const token = await platformToken("tenant.manage");
    const body = { tenantId, type: "SendEmail", data: mail, expiresInSeconds: 60 };
    const submission = await request<{ commandId: string }>("POST /commands", { base: base(), token, body });
    expect(submission.status).toBe(202);
    expect(await answerTo(submission.body.commandId)).toMatchObject({
      type: "CommandRejected",
      tenantid: tenantId,
      data: { error: { code: "REFERENCE_NOT_FOUND" } },
    });
    const file = join(platform().dataDir, "mail.json");
    await writeFile(file, JSON.stringify(mail));
    const scriptArguments = [
      "--no-warnings",
      script,
      "SendEmail",
      "--tenant",
      tenantId,
      "--data",
      file,
      "--key",
      "one",
    ];
    const env = { PATH: process.env["PATH"], DATA_DIR: platform().dataDir };
    const { stdout } = await run(process.execPath, scriptArguments, { env });
    expect((await run(process.execPath, scriptArguments, { env })).stdout).toBe(stdout);
    const [commandId = ""] = stdout.split(" ");
    expect(await answerTo(commandId)).toMatchObject({ type: "CommandRejected", tenantid: tenantId });
    const subjects = await rows<{ subject: string }>(
      `select envelope->>'subject' as subject from integration.outbox
       where envelope->>'operation' = 'POST /commands' and envelope->>'tenantid' = $1 order by seq`,
      [tenantId],
    );
    expect(subjects.map(({ subject }) => subject)).toEqual(
      [submission.body.commandId, commandId].map((id) => `commands/${id}`),
    );
  });

  it("sends one command for an Idempotency-Key, and refuses another body with it", async () => {
    const { tenantId } = await aTenant();
    const token = await platformToken("tenant.manage");
    const post = (headers: Record<string, string>, changes: object = {}) => {
      const body = { tenantId, type: "SendEmail", data: mail, ...changes };
      return request<{ commandId: string; code: string }>("POST /commands", { base: base(), token, body, headers });
    };
    const answers = await Promise.all(Array.from({ length: 4 }, () => post({ "idempotency-key": "one" })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(3);
    const other = await post({ "idempotency-key": "one" }, { data: { ...mail, text: "They." } });
    expect(refusal(other)).toBe("422 IDEMPOTENCY_KEY_REUSED");
    expect(refusal(await post({ "idempotency-key": "two words" }))).toBe("400 IDEMPOTENCY_KEY_INVALID");
    const [first] = answers;
    expect((await post({ "idempotency-key": "two" })).body.commandId).not.toBe(first?.body.commandId);
    expect((await post({})).body.commandId).not.toBe(first?.body.commandId);
    const counts = await rows<{ count: number }>(
      `select count(*)::int from integration.outbox where envelope->>'tenantid' = $1 and type = 'SendEmail'`,
      [tenantId],
    );
    expect(counts).toEqual([{ count: 3 }]);
  });
});
