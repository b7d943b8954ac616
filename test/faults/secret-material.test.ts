import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { bareEnvironment } from "@factory/platform/settings/environment";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import { Canaries } from "../kit/canaries.js";
import { eventually } from "../kit/eventually.js";
import { addAuthenticator, ownSecurityPage } from "../kit/own-security.js";
import { aPerson } from "../kit/people.js";
import { plantSecrets } from "../kit/plant-secrets.js";
import { plantVendorSecrets } from "../kit/plant-vendor-secrets.js";
import { platform } from "../kit/platform.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { aReceiver, type Received, type Receiver, signatureOf } from "../kit/receiver.js";
import { graphql, request } from "../kit/request.js";
import { type SecretTraffic, secretTraffic } from "../kit/secret-traffic.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { acceptInvitation, anAddress } from "../kit/users.js";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../gateway/platform/dist/rewrap.js", import.meta.url));
const canaries = new Canaries();
const formerKey = canaries.plant("former key of the platform");
const newKey = canaries.plant("new key of the platform");
const signingSecret = `whsec_${randomBytes(32).toString("base64")}`;
const suiteKey = suiteVariables.SECRETS_KEY;

let group: PlatformGroup;
let first: PlatformProcess;
let tenant: TestTenant;
let receiver: Receiver;
let reports: string;
let load: SecretTraffic | undefined;

beforeAll(async () => {
  group = await PlatformGroup.open();
  reports = await mkdtemp(join(tmpdir(), "reports-"));
  // before a change of the key in several processes, all of them know the new one; the database was made with another
  first = await group.start({
    ...{ SECRETS_KEY: formerKey, SECRETS_KEY_PREVIOUS: `${newKey},${suiteKey}`, LOG_LEVEL: "debug" },
    NODE_OPTIONS: `--report-on-signal --report-directory=${reports}`,
  });
  group.use(first);
  tenant = await aTenant();
  receiver = await aReceiver();
});

afterAll(async () => {
  await load?.stop();
  await group?.close();
  await receiver?.close();
  await rm(reports, { recursive: true, force: true });
});

async function invitationTokenOf(email: string): Promise<string> {
  let token: string | undefined;
  await eventually(`a mail to ${email}`, async () => {
    for (const folder of group.folders) {
      const outbox = join(folder, "outbox");
      const mails = (await readdir(outbox).catch(() => [])).filter((file) => file.endsWith(".eml"));
      for (const file of mails) {
        const text = (await readFile(join(outbox, file), "utf8")).replaceAll("=\r\n", "").replaceAll("=3D", "=");
        if (text.includes(`To: ${email}\r\n`)) token = /token=([\w-]{43})/.exec(text)?.[1];
      }
    }
    return token !== undefined;
  });
  return token ?? "";
}

interface Run {
  readonly operation: string;
  readonly status: string;
}

const isSigned = (webhook: Received) => webhook.headers["webhook-signature"] === signatureOf(signingSecret, webhook);

describe("secrets that callers gave to the platform", () => {
  it("are in no answer", async () => {
    const answers = await plantSecrets(canaries, tenant);
    for (const { text } of answers) expect(canaries.foundIn(text)).toEqual([]);
  });

  it("are in no answer after the platform has used them at vendors", async () => {
    const answers = await plantVendorSecrets(canaries, await tenant.tokenWith());
    for (const { text } of answers) expect(canaries.foundIn(text)).toEqual([]);
  });
});

describe("a new master key under load", () => {
  it("fails no request, and after npm run rewrap the former key can go", async () => {
    const token = await tenant.tokenWith();
    const made = { name: "hooks", kind: "WebhookSigning", secret: { signingSecret } };
    canaries.add("the signing secret of the webhooks", signingSecret);
    expect((await request("POST /integrations/credentials", { token, body: made })).status).toBe(201);
    const hook = { eventType: "ConfigurationUpdated", endpointUrl: receiver.url, signingSecretRef: "hooks" };
    expect((await request("POST /webhooks/subscriptions", { token, body: hook })).status).toBe(201);
    const kept = { value: canaries.plant("kept"), isSecret: true };
    expect((await request("PUT /v1/config/kept.secret", { token, body: kept })).status).toBe(201);
    const guests = [anAddress(), anAddress()];
    for (const email of guests)
      await request("POST /v1/users/invitations", { token, body: { email, roleCodes: ["Viewer"] } });
    const [earlyGuest = "", lateGuest = ""] = await Promise.all(guests.map(invitationTokenOf));
    await addAuthenticator((await ownSecurityPage(await aPerson(tenant))).browser);
    load = await secretTraffic(tenant, canaries);
    await load.turn();

    const second = await group.start({
      ...{ SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: `${formerKey},${suiteKey}`, LOG_LEVEL: "debug" },
    });
    await load.turn();
    group.use(second);
    expect((await acceptInvitation(earlyGuest)).text).toContain("usr_");
    await load.turn();
    process.kill(first.pid, "SIGUSR2");
    await eventually("a diagnostic report", async () => (await readdir(reports)).length > 0);
    const env = { ...bareEnvironment(), DATA_DIR: second.dataDir };
    const { stdout } = await run(process.execPath, ["--no-warnings", script], { env });
    expect(stdout).toMatch(/integration\.credential_versions \(credential key wrapping\): \d+ sealed again, 0 left/);
    expect(stdout).toMatch(/spine\.api_clients \(factory spine client secrets\): \d+ sealed again, 0 left/);
    expect(stdout).toMatch(/spine\.totp_factors \(factory spine second factors\): \d+ sealed again, 0 left/);
    await first.stop();

    const third = await group.start({ SECRETS_KEY: newKey, LOG_LEVEL: "debug" });
    group.use(third);
    await load.turn();
    await second.stop();
    await load.turn();
    await load.stop();
    expect(load.failures).toEqual([]);
    const unfinished = async () => {
      const { body } = await request("GET /integrations/runs?limit=100", { token: await tenant.tokenWith() });
      return (body["items"] as unknown as Run[]).filter(({ status }) => !["Completed", "Cancelled"].includes(status));
    };
    await eventually("every run is complete", async () => (await unfinished()).length === 0);
    expect((await acceptInvitation(lateGuest)).text).toContain("usr_");
    const fresh = await tenant.tokenWith();
    const restore = `mutation { restoreConfigEntry(key: "kept.secret", version: 1) { version } }`;
    expect((await graphql(restore, { token: fresh })).body.errors).toBeUndefined();
    expect(await platformToken("tenant.manage")).toContain(".");
    const delivered = load.entries() + 2;
    await eventually("every event came by webhook", () => receiver.received.length >= delivered);
    expect(receiver.received.filter((webhook) => !isSigned(webhook))).toEqual([]);
  });
});

describe("secret material", () => {
  it("is in no log line, metric, row, database file, diagnostic report or file of DATA_DIR", async () => {
    const metrics = await (await fetch(`${platform().internalUrl}/metrics`)).text();
    expect(metrics).toContain("http_request_duration_seconds");
    expect(canaries.foundIn(metrics)).toEqual([]);
    expect(group.log.length).toBeGreaterThan(50);
    expect(canaries.foundIn(group.log.join("\n"))).toEqual([]);
    expect(await canaries.foundInDatabase(group.databaseUrl)).toEqual([]);
    for (const folder of [...group.folders, group.databaseFolder, reports])
      expect(await canaries.foundInFiles(folder)).toEqual([]);
  });
});
