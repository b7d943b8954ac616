import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { SMTPServer } from "smtp-server";
import { eventually } from "../kit/eventually.js";
import { killsAt } from "../kit/kills.js";
import { request } from "../kit/request.js";

/** Where the process is killed: before the vendor is asked, and between its answer and the record. */
const phases = ["vendorCommand.calling", "vendorCommand.called"];
const kills = killsAt(phases.length);
const takeoverMs = 360_000;

describe("kill -9 in commands to vendors", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let tenantId: string;
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        received.push(/^Message-ID: <(cmd_\w+)@/m.exec(Buffer.concat(chunks).toString())?.[1] ?? "");
        done();
      });
    },
  });

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    server.on("error", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  const adminToken = async () => accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));

  async function aTenantWithMail(): Promise<void> {
    const admin = await adminToken();
    ({ tenantId } = await ensureTenant(platform, admin, "mailing", "mailing"));
    const scopes = ["integration.providers.write", "integration.connections.write", "integration.runs.read"] as const;
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes });
    const token = await accessToken(platform, client);
    const { port } = server.server.address() as { port: number };
    const post = async (path: string, body: unknown) =>
      (await request<Record<string, string>>(`POST ${path}`, { base: platform.publicUrl, token, body })).body;
    const { providerId } = await post("/integrations/providers", {
      ...{ key: "mail", displayName: "Mail", category: "Other", authModel: "None", capabilities: ["email.send"] },
      driver: { smtp: { host: "127.0.0.1", port, security: "none" } },
    });
    await post("/integrations/connections", { providerId, displayName: "Mail", authMode: "None" });
  }

  async function send(): Promise<string> {
    const data = { to: ["ada@people.example"], from: "me@sender.example", subject: "Hi", text: "x" };
    const body = { tenantId, type: "SendEmail", data };
    const token = await adminToken();
    return (await call<{ commandId: string }>("POST", `${platform.internalUrl}/commands`, { token, body })).body
      .commandId;
  }

  it("loses no mail, and sends at most one more for each kill, with the same Message-ID", async () => {
    const sent: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const FAIL = `${phases[(count + 1) % phases.length]}:kill:1`;
      const started = await startPlatformProcess(dataDir, { FAIL }).catch((error: Error) => {
        expect(error.message).toContain("ended with null");
      });
      // the command of an earlier kill may end the process before it is ready
      if (!started) continue;
      platform = started;
      if (sent.length === 0) await aTenantWithMail();
      await send().then(
        (commandId) => sent.push(commandId),
        () => undefined,
      );
      expect(await platform.ended).toBeNull();
    }
    platform = await startPlatformProcess(dataDir);
    sent.push(await send());
    const token = await accessToken(platform, client);
    const open = async () => {
      const path = "GET /integrations/runs?operation=SendEmail&limit=100";
      const { body } = await request<{ items: { status: string }[] }>(path, { base: platform.publicUrl, token });
      return body.items.filter(({ status }) => status !== "Completed").length;
    };
    await eventually("each mail has arrived", () => sent.every((id) => received.includes(id)), takeoverMs);
    await eventually("no run is open", async () => (await open()) === 0, takeoverMs);
    expect(received.length - new Set(received).size).toBeLessThanOrEqual(kills);
  }, 1_200_000);
});
