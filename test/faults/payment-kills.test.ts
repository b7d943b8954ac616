import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
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
import { eventually } from "../kit/eventually.js";
import { anInboundSource, type InboundSource } from "../kit/inbound-sources.js";
import { request } from "../kit/request.js";

/** Where the process is killed: after the vendor's answer, in the transaction of its report, and before it is asked. */
const phases = ["vendorCommand.called", "vendorCommand.settled", "vendorCommand.calling"];
const kills = Number(process.env["KILLS"] ?? 2);
const takeoverMs = 360_000;

const commands = {
  ChargePayment: {
    ...{ method: "POST", path: "/payments", encoding: "json", vendorId: "body:/id" },
    body: { amount: { $value: "/amountMinor" }, ref: { $value: "/commandId" } },
  },
};
const webhook = {
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex" },
  deliveryId: ["body:/event"],
  eventName: ["body:/type"],
  reports: [{ event: "paid", outcome: "PaymentCharged", commandId: "body:/ref", vendorId: "body:/id" }],
};

describe("kill -9 in commands that charge payments", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let client: ClientCredentials;
  let tenantId: string;
  let source: InboundSource;
  /** The payments of the vendor by the idempotency keys that it remembers. */
  const payments = new Map<string, { readonly id: string; readonly ref: string }>();
  const reported = new Set<string>();
  let asked = 0;
  const vendor = createServer((incoming, response) => {
    void charged(incoming).then(
      (payment) => response.end(JSON.stringify({ id: payment.id })),
      () => response.writeHead(500).end(),
    );
  });
  let reports: NodeJS.Timeout;

  async function charged(incoming: IncomingMessage): Promise<{ id: string }> {
    const key = String(incoming.headers["idempotency-key"]);
    const { ref } = (await json(incoming)) as { ref: string };
    asked += 1;
    const known = payments.get(key) ?? { id: `pay-${payments.size + 1}`, ref };
    payments.set(key, known);
    return known;
  }

  /** Reports each payment until the platform has taken the report, as vendors do. */
  async function report(): Promise<void> {
    for (const { id, ref } of payments.values()) {
      if (reported.has(id)) continue;
      const raw = JSON.stringify({ event: `evt-${id}`, type: "paid", id, ref });
      const signature = createHmac("sha256", source.secret).update(raw).digest("hex");
      const headers = { "content-type": "application/json", "x-signature": signature };
      const { pathname, search } = new URL(source.deliveryUrl);
      const sent = request(`POST ${pathname}${search}`, { base: platform.publicUrl, raw, headers });
      const status = await sent.then(
        (answer) => answer.status,
        () => undefined,
      );
      if (status === 202) reported.add(id);
    }
  }

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", () => resolve()));
    reports = setInterval(() => void report().catch(() => undefined), 500);
  });
  afterAll(async () => {
    clearInterval(reports);
    await platform?.stop();
    await removeData(dataDir);
    await new Promise<void>((resolve) => vendor.close(() => resolve()));
  });

  const adminToken = async () => accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));

  async function aTenantWithPayments(): Promise<void> {
    const admin = await adminToken();
    ({ tenantId } = await ensureTenant(platform, admin, "paying", "paying"));
    const scopes = [
      ...(["integration.providers.write", "integration.connections.write", "integration.credentials.write"] as const),
      ...(["webhooks.subscriptions.write", "integration.runs.read"] as const),
    ];
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes });
    const token = await accessToken(platform, client);
    const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    source = await anInboundSource(token, {
      base: platform.publicUrl,
      provider: {
        ...{ baseUrl, capabilities: ["payments.charge"] },
        driver: { idempotencyHeader: "idempotency-key", commands, webhook },
      },
    });
    const body = { providerId: source.providerId, displayName: "Payments", authMode: "None" };
    await request("POST /integrations/connections", { base: platform.publicUrl, token, body });
  }

  async function charge(): Promise<string> {
    const data = { amountMinor: 1999, currency: "CHF", customerRef: "customer-42" };
    const body = { tenantId, type: "ChargePayment", data };
    const token = await adminToken();
    return (await call<{ commandId: string }>("POST", `${platform.internalUrl}/commands`, { token, body })).body
      .commandId;
  }

  it("charges each payment once, and answers it by the report", async () => {
    const sent: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const FAIL = `${phases[count % phases.length]}:kill:1`;
      const started = await startPlatformProcess(dataDir, { FAIL }).catch((error: Error) => {
        expect(error.message).toContain("ended with null");
      });
      // the command of an earlier kill may end the process before it is ready
      if (!started) continue;
      platform = started;
      if (sent.length === 0) await aTenantWithPayments();
      await charge().then(
        (commandId) => sent.push(commandId),
        () => undefined,
      );
      expect(await platform.ended).toBeNull();
    }
    platform = await startPlatformProcess(dataDir);
    sent.push(await charge());
    const token = await accessToken(platform, client);
    const runs = async () => {
      const path = "GET /integrations/runs?operation=ChargePayment&limit=100";
      const { body } = await request<{ items: { status: string }[] }>(path, { base: platform.publicUrl, token });
      return body.items.map(({ status }) => status);
    };
    await eventually(
      "each payment is charged",
      async () => {
        const states = await runs();
        return states.length === sent.length && states.every((status) => status === "Completed");
      },
      takeoverMs,
    );
    expect([...payments.keys()].sort()).toEqual([...sent].sort());
    expect([...payments.values()].map(({ ref }) => ref).sort()).toEqual([...sent].sort());
    expect(asked).toBeLessThanOrEqual(sent.length + kills);
  }, 1_200_000);
});
