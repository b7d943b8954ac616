import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { aPrincipal } from "../../../integration.fixture.js";
import { IntegrationProcesses } from "../../../integration-processes.fixture.js";
import { aPaymentConnection, type PaymentConnection } from "./payments.fixture.js";

/** Where the process is killed: after the vendor's answer, in its report's transaction, and before it is asked. */
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
  scheme: { kind: "hmac", algorithm: "sha256", header: "x-signature", encoding: "hex", signedContent: "{body}" },
  deliveryId: ["body:/event"],
  eventName: ["body:/type"],
  reports: [{ event: "paid", outcome: "PaymentCharged", commandId: "body:/ref", vendorId: "body:/id" }],
};

describe("kill -9 in commands that charge payments", () => {
  const principal = aPrincipal();
  let subgraph: IntegrationProcesses;
  let connection: PaymentConnection | undefined;
  /** The vendor's payments by the idempotency keys that it remembers. */
  const payments = new Map<string, { readonly id: string; readonly ref: string }>();
  const reportedPayments = new Set<string>();
  let requestCount = 0;
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
    requestCount += 1;
    const payment = payments.get(key) ?? { id: `pay-${payments.size + 1}`, ref };
    payments.set(key, payment);
    return payment;
  }

  /** Reports each payment until the platform has taken the report, as vendors do. */
  async function report(): Promise<void> {
    for (const { id, ref } of payments.values()) {
      if (reportedPayments.has(id) || !connection) continue;
      await connection.report({ event: `evt-${id}`, type: "paid", id, ref });
      reportedPayments.add(id);
    }
  }

  beforeAll(async () => {
    subgraph = await IntegrationProcesses.open();
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", () => resolve()));
    reports = setInterval(() => void report().catch(() => undefined), 500);
  });
  afterAll(async () => {
    clearInterval(reports);
    await subgraph.close();
    await new Promise<void>((resolve) => vendor.close(() => resolve()));
  });

  const connect = () =>
    aPaymentConnection(subgraph, principal, `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, {
      ...{ idempotencyHeader: "idempotency-key", commands, webhook },
    });

  async function charge(): Promise<string> {
    const data = { amountMinor: 1999, currency: "CHF", customerRef: "customer-42" };
    const input = { tenantId: principal.tenantId, type: "ChargePayment", data };
    return (await subgraph.process.call("sendCommand", aPrincipal(), input)).commandId;
  }

  it("charges each payment once, and answers it by the report", async () => {
    const commandIds: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      // an earlier kill's command may end the process before it is ready
      if (!(await subgraph.startMortal(`${phases[count % phases.length]}:kill:1`))) continue;
      connection ??= await connect();
      await charge().then(
        (commandId) => commandIds.push(commandId),
        () => undefined,
      );
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start();
    commandIds.push(await charge());
    const runs = async (): Promise<string[]> => {
      const query = "{ runs(filter: { operation: ChargePayment }, first: 100) { items { status } } }";
      const { items } = await subgraph.only(principal, query);
      return items.map(({ status }: { status: string }) => status);
    };
    await eventually(
      "each payment is charged",
      async () => {
        const states = await runs();
        return states.length === commandIds.length && states.every((status) => status === "Completed");
      },
      takeoverMs,
    );
    expect([...payments.keys()].sort()).toEqual([...commandIds].sort());
    expect([...payments.values()].map(({ ref }) => ref).sort()).toEqual([...commandIds].sort());
    expect(requestCount).toBeLessThanOrEqual(commandIds.length + kills);
  }, 1_200_000);
});
