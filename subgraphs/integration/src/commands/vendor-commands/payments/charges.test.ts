import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { aVendorServer, type VendorServer } from "../../../connections/vendor-calls/vendor.fixture.js";
import {
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../../integration.fixture.js";
import { aCommand, answersTo } from "../vendor-commands.fixture.js";
import { aPaymentConnection, paymentDriver } from "./payments.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([startIntegrationFixture(), aVendorServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  vendor.answer = () => ({ status: 200, body: '{"id":"pay-1","state":"pending"}' });
});

afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

const payment = { amountMinor: 1999, currency: "CHF", customerRef: "customer-42" };
const connect = (driver: object = paymentDriver) => aPaymentConnection(fixture, principal, vendor.origin, driver);

async function sent(data: Record<string, unknown> = payment, expiresAt?: Date): Promise<CommandEnvelope> {
  const command = aCommand(principal, "ChargePayment", data, expiresAt);
  await fixture.bus.publish([command]);
  return command;
}

interface StoredCommand {
  status: string;
  run: string;
  run_id: string;
  next_attempt_at: Date | null;
  ciphertext: Buffer | null;
}

const readCommand = async ({ id }: CommandEnvelope): Promise<StoredCommand | undefined> => {
  const [row] = await fixture.rows<StoredCommand>(
    `select command.status, run.status as run, run.run_id, next_attempt_at, ciphertext
     from integration.vendor_commands command join integration.runs run using (tenant_id, run_id) where command_id = $1`,
    decodeId("cmd", id),
  );
  return row;
};

const becomes = (command: CommandEnvelope, status: string, run: string) =>
  eventually(async () => {
    const row = await readCommand(command);
    return row?.status === status && row.run === run ? row : undefined;
  });

/** Makes a run's next attempt due now. */
const letTimePass = ({ run_id }: Pick<StoredCommand, "run_id">) =>
  fixture.rows(
    "update integration_jobs.job set start_after = now() where state = 'created' and singleton_key = $1",
    encodeId("run", run_id),
  );

const whenHandled = (deliveryId: string) =>
  eventually(async () => {
    const [row] = await fixture.rows(
      `select from integration.outbox
       where envelope->>'subject' = $1 and envelope->>'type' in ('WebhookDeliveryProcessed', 'WebhookDeliveryIgnored')`,
      `deliveries/${deliveryId}`,
    );
    return row && true;
  });

/** As if the vendor had accepted the command at that time. */
const acceptedBefore = ({ id }: CommandEnvelope, interval: string) =>
  fixture.rows(
    "update integration.vendor_commands set asked_at = now() - $1::interval where command_id = $2",
    interval,
    decodeId("cmd", id),
  );

const typesOf = async (command: CommandEnvelope, atLeast = 1) =>
  (await answersTo(fixture, command, atLeast)).map(({ type }) => type);

describe("a command to charge a payment", () => {
  it("is answered by PaymentCharged with both ids only when the vendor has reported it", async () => {
    const { connectionId, providerId, report } = await connect();
    const planSubscriptionId = newId("sub");
    const command = await sent({ ...payment, planSubscriptionId });
    const waiting = await becomes(command, "Awaited", "RetryScheduled");
    expect(waiting.ciphertext).toBeNull();
    const untilLook = (waiting.next_attempt_at?.getTime() ?? 0) - Date.now();
    expect(untilLook).toBeGreaterThan(5_000);
    expect(untilLook).toBeLessThanOrEqual(31_000);
    const deliveryId = await report({ type: "payment.paid", id: "pay-1" });
    const [answer] = await answersTo(fixture, command);
    expect(answer).toMatchObject({
      type: "PaymentCharged",
      ...{ causationid: command.id, correlationid: command.correlationid, traceid: command.traceid },
      data: {
        ...{ commandId: command.id, vendorId: "pay-1", connectionId, providerId, deliveryId, planSubscriptionId },
        ...{ amountMinor: 1999, currency: "CHF" },
      },
    });
    expect(JSON.stringify(answer)).not.toContain("customer-42");
    await becomes(command, "Done", "Completed");
    expect(vendor.requests).toMatchObject([
      { method: "POST", path: "/payments", headers: { "idempotency-key": command.id } },
    ]);
    expect(JSON.parse(vendor.requests[0]?.body ?? "")).toEqual({
      ...{ amount: 1999, currency: "chf", customer: "customer-42", ref: command.id },
    });
  });

  it("is done with the answer of the vendor that says so, and answered once", async () => {
    const { report } = await connect();
    vendor.answer = () => ({ status: 200, body: '{"id":"pay-1","state":"paid"}' });
    const command = await sent();
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "PaymentCharged", data: { commandId: command.id, vendorId: "pay-1", amountMinor: 1999 } },
    ]);
    await becomes(command, "Done", "Completed");
    const late = await report({ type: "payment.paid", id: "pay-1", ref: command.id });
    await whenHandled(late);
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
    expect(vendor.requests.map(({ method }) => method)).toEqual(["POST"]);
  });

  it.each(["pending", "declined", "constructor", ""])(
    "is not said to be made or to have failed by an answer with the state %j, but waits",
    async (state) => {
      await connect();
      vendor.answer = () => ({ status: 200, body: JSON.stringify({ id: "pay-1", state }) });
      const command = await sent();
      await becomes(command, "Awaited", "RetryScheduled");
      expect(await typesOf(command, 0)).toEqual([]);
    },
  );

  it("is answered by PaymentFailed, with the plan subscription, when the vendor reports a failure", async () => {
    const { report } = await connect();
    const planSubscriptionId = newId("sub");
    const command = await sent({ ...payment, planSubscriptionId });
    await becomes(command, "Awaited", "RetryScheduled");
    await report({ type: "payment.declined", ref: command.id });
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "PaymentFailed", data: { planSubscriptionId, vendorId: "pay-1", error: { code: "VENDOR_REFUSED" } } },
    ]);
    await becomes(command, "Failed", "Failed");
  });

  it("is answered once, by the first report", async () => {
    const { report } = await connect();
    const command = await sent();
    await becomes(command, "Awaited", "RetryScheduled");
    await Promise.all([
      report({ type: "payment.paid", id: "pay-1" }),
      report({ type: "payment.paid", id: "pay-1" }),
      report({ type: "payment.paid", ref: command.id }),
    ]);
    const late = await report({ type: "payment.declined", id: "pay-1" });
    await whenHandled(late);
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
  });

  it("may be reported before the vendor has answered", async () => {
    const { report } = await connect();
    let early: Promise<string> | undefined;
    vendor.answer = ({ body }) => {
      early ??= report({ type: "payment.paid", ref: JSON.parse(body).ref, id: "pay-1" });
      return { status: 200, body: '{"id":"pay-1"}' };
    };
    const command = await sent();
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
    await early;
    expect(vendor.requests).toHaveLength(1);
  });

  it("fails at once when the vendor refuses the payment", async () => {
    await connect();
    vendor.answer = () => ({ status: 402, body: '{"error":"card_declined"}' });
    const command = await sent();
    expect(await answersTo(fixture, command)).toMatchObject([
      {
        type: "PaymentFailed",
        data: {
          planSubscriptionId: null,
          error: { code: "VENDOR_REFUSED", detail: expect.stringContaining("Its code is card_declined.") },
        },
      },
    ]);
    expect(vendor.requests).toHaveLength(1);
  });

  it.each([
    ["401", { status: 401 }, "PaymentFailed", "CREDENTIAL_REJECTED"],
    ["400", { status: 400, body: "<html>" }, "PaymentFailed", "VENDOR_REFUSED"],
  ])("fails at once when the vendor answers %s", async (_, answer, type, code) => {
    await connect();
    vendor.answer = () => answer;
    expect(await answersTo(fixture, await sent())).toMatchObject([{ type, data: { error: { code } } }]);
  });

  it.each([
    ["500", () => ({ status: 500 })],
    ["409", () => ({ status: 409 })],
    ["429", () => ({ status: 429, headers: { "retry-after": "1" } })],
  ])("is asked again with the same key after %s, and charged once", async (_, failing) => {
    const { report } = await connect();
    let calls = 0;
    vendor.answer = () => (++calls < 2 ? failing() : { status: 200, body: '{"id":"pay-1"}' });
    const command = await sent();
    const retry = await becomes(command, "Accepted", "RetryScheduled");
    await letTimePass(retry);
    await becomes(command, "Awaited", "RetryScheduled");
    await report({ type: "payment.paid", id: "pay-1" });
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
    expect(vendor.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([command.id, command.id]);
  });

  it.each([
    ["garbage", "<html>garbage"],
    ["more than fits", JSON.stringify({ pad: "x".repeat(5 * 1024 * 1024), id: "pay-1" })],
  ])("waits for the report also when the answer is %s", async (_, body) => {
    const { report } = await connect();
    vendor.answer = () => ({ status: 200, body });
    const command = await sent();
    await becomes(command, "Awaited", "RetryScheduled");
    await report({ type: "payment.paid", ref: command.id, id: "pay-1" });
    expect(await answersTo(fixture, command)).toMatchObject([{ type: "PaymentCharged", data: { vendorId: "pay-1" } }]);
  });

  it("is not said to have failed when an earlier attempt may have charged it", async () => {
    const { connectionId, report } = await connect();
    vendor.answer = () => ({ status: 500 });
    const command = await sent();
    const retry = await becomes(command, "Accepted", "RetryScheduled");
    await fixture.run(principal, "mutation ($id: ID!) { suspendConnection(connectionId: $id) { status } }", {
      id: connectionId,
    });
    await letTimePass(retry);
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "CommandDeadLettered", data: { command: "ChargePayment", error: { code: "OUTCOME_UNKNOWN" } } },
    ]);
    await report({ type: "payment.paid", ref: command.id, id: "pay-1" });
    expect(await typesOf(command, 2)).toEqual(["CommandDeadLettered", "PaymentCharged"]);
    expect(await readCommand(command)).toMatchObject({ status: "Done" });
  });
});

describe("a charge without an answer for longer than its vendor keeps idempotency keys", () => {
  const sendUnanswered = async (): Promise<CommandEnvelope> => {
    vendor.answer = ({ method }) => (method === "GET" ? { status: 200, body: '{"state":"paid"}' } : { status: 500 });
    const command = await sent();
    const waiting = await becomes(command, "Accepted", "RetryScheduled");
    await fixture.rows(
      "update integration.vendor_commands set asked_at = now() - interval '21 hours' where command_id = $1",
      decodeId("cmd", command.id),
    );
    await letTimePass(waiting);
    return command;
  };

  it("is not charged a second time: nobody knows whether it was made", async () => {
    await connect();
    expect(await answersTo(fixture, await sendUnanswered())).toMatchObject([
      { type: "CommandDeadLettered", data: { error: { code: "OUTCOME_UNKNOWN" } } },
    ]);
    expect(vendor.requests.map(({ method }) => method)).toEqual(["POST"]);
  });

  it("is asked for where the vendor knows it by the id of the command", async () => {
    const { commands } = paymentDriver;
    const { ChargePayment: charge } = commands;
    const state = { ...charge.state, path: "/payments/by-ref/{commandId}" };
    await connect({ ...paymentDriver, commands: { ...commands, ChargePayment: { ...charge, state } } });
    const command = await sendUnanswered();
    expect(await answersTo(fixture, command)).toMatchObject([{ type: "PaymentCharged" }]);
    expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /payments",
      `GET /payments/by-ref/${command.id}`,
    ]);
  });
});

describe("a charge that nobody has reported", () => {
  const looks = async (command: CommandEnvelope): Promise<number> => {
    const row = await readCommand(command);
    return Math.round(((row?.next_attempt_at?.getTime() ?? 0) - Date.now()) / 1000);
  };

  it("is asked for after 30 s, 5 min, 1 h and 24 h, whatever the early answers are", async () => {
    await connect();
    const command = await sent();
    for (const [status, elapsedTime, remainingSeconds] of [
      [503, "31 seconds", 269],
      [404, "301 seconds", 3299],
    ] as const) {
      const waiting = await becomes(command, "Awaited", "RetryScheduled");
      vendor.answer = () => ({ status });
      vendor.requests.length = 0;
      await acceptedBefore(command, elapsedTime);
      await letTimePass(waiting);
      await eventually(async () => (vendor.requests.length > 0 && (await looks(command)) > 60) || undefined);
      expect(Math.abs((await looks(command)) - remainingSeconds)).toBeLessThan(10);
    }
    vendor.answer = () => ({ status: 200, body: '{"state":"paid"}' });
    await acceptedBefore(command, "3601 seconds");
    await letTimePass(await becomes(command, "Awaited", "RetryScheduled"));
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
  });

  it("is answered by a report that came while the vendor was asked too early", async () => {
    const { report } = await connect();
    const command = await sent();
    const waiting = await becomes(command, "Awaited", "RetryScheduled");
    let early: Promise<string> | undefined;
    vendor.answer = () => {
      early ??= report({ type: "payment.paid", ref: command.id, id: "pay-1" });
      return { status: 200, body: '{"state":"pending"}' };
    };
    await acceptedBefore(command, "31 seconds");
    await letTimePass(waiting);
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
    await early;
    await becomes(command, "Done", "Completed");
  });

  it("is not asked for before 24 h where the driver does not say how", async () => {
    const { commands } = paymentDriver;
    const { state: _, ...charge } = commands.ChargePayment;
    await connect({ ...paymentDriver, commands: { ...commands, ChargePayment: charge } });
    const command = await sent();
    await becomes(command, "Awaited", "RetryScheduled");
    expect(await looks(command)).toBeGreaterThan(86_000);
  });
});

describe("a charge that nobody has reported for 24 h", () => {
  const overdue = async (): Promise<CommandEnvelope> => {
    const command = await sent(payment, new Date(Date.now() + 60_000));
    const waiting = await becomes(command, "Awaited", "RetryScheduled");
    await acceptedBefore(command, "25 hours");
    await letTimePass(waiting);
    return command;
  };
  const answerState = (state: string) => {
    vendor.answer = ({ method }) => ({
      status: 200,
      body: method === "GET" ? JSON.stringify({ state }) : '{"id":"pay/../1"}',
    });
  };

  it.each([
    ["paid", "PaymentCharged"],
    ["declined", "PaymentFailed"],
  ])("is %s where the vendor tells so when it is asked: %s", async (state, type) => {
    await connect();
    answerState(state);
    const command = await overdue();
    expect(await answersTo(fixture, command)).toMatchObject([{ type, data: { commandId: command.id } }]);
    expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /payments",
      "GET /payments/pay%2F..%2F1",
    ]);
  });

  it("is given up as TimedOut where the answer does not tell", async () => {
    await connect();
    answerState("pending");
    const command = await overdue();
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "CommandDeadLettered", data: { error: { code: "RUN_TOO_LONG" } } },
    ]);
    await becomes(command, "DeadLettered", "TimedOut");
  });

  it("is asked for again while the vendor is away", async () => {
    await connect();
    let requestCount = 0;
    vendor.answer = ({ method }) => {
      if (method === "POST") return { status: 200, body: '{"id":"pay-1"}' };
      return ++requestCount < 4 ? { status: 503 } : { status: 200, body: '{"state":"paid"}' };
    };
    const command = await overdue();
    await eventually(
      async () => ((await readCommand(command))?.run === "RetryScheduled" && requestCount === 3) || undefined,
    );
    const waiting = await readCommand(command);
    if (waiting) await letTimePass(waiting);
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
  });

  it("survives a restart of the process", async () => {
    const { report } = await connect();
    const command = await sent();
    await becomes(command, "Awaited", "RetryScheduled");
    await fixture.restart();
    await report({ type: "payment.paid", id: "pay-1" });
    expect(await typesOf(command)).toEqual(["PaymentCharged"]);
  });
});

describe("a command to charge a payment", () => {
  it.each<[string, Record<string, unknown>]>([
    ["no amount", { currency: "CHF", customerRef: "c" }],
    ["an amount of 0", { ...payment, amountMinor: 0 }],
    ["a negative amount", { ...payment, amountMinor: -1 }],
    ["a part of the smallest unit", { ...payment, amountMinor: 0.5 }],
    ["an amount that is not exact", { ...payment, amountMinor: 2 ** 53 }],
    ["an amount as a text", { ...payment, amountMinor: "1999" }],
    ["a currency that does not exist", { ...payment, currency: "ABC" }],
    ["a currency in lower case", { ...payment, currency: "chf" }],
    ["a plan subscription that is none", { ...payment, planSubscriptionId: "sub" }],
  ])("is rejected with %s", async (_, data) => {
    await connect();
    const command = await sent(data);
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "CommandRejected", data: { command: "ChargePayment", error: { code: "VALIDATION_FAILED" } } },
    ]);
    expect(vendor.requests).toEqual([]);
  });

  it("is rejected without a connection, through one of another tenant, and through a suspended one", async () => {
    const { connectionId } = await connect();
    principal = aPrincipal();
    const rejectionEvents = (code: string) => [{ type: "CommandRejected", data: { error: { code } } }];
    expect(await answersTo(fixture, await sent())).toMatchObject(rejectionEvents("REFERENCE_NOT_FOUND"));
    expect(await answersTo(fixture, await sent({ ...payment, connectionId }))).toMatchObject(
      rejectionEvents("REFERENCE_NOT_FOUND"),
    );
    const ownConnection = await connect();
    const { errors } = await fixture.run(
      principal,
      "mutation ($id: ID!) { suspendConnection(connectionId: $id) { status } }",
      { id: ownConnection.connectionId },
    );
    expect(errors).toBeUndefined();
    expect(
      await answersTo(fixture, await sent({ ...payment, connectionId: ownConnection.connectionId })),
    ).toMatchObject(rejectionEvents("INVALID_STATE"));
    expect(vendor.requests).toEqual([]);
  });

  it("is cancelled only with the scope that moves money", async () => {
    await connect();
    const command = await sent();
    const { run_id } = await becomes(command, "Awaited", "RetryScheduled");
    const cancel = (by: Principal) =>
      fixture.run(by, "mutation ($runId: ID!) { cancelRun(runId: $runId) { status } }", {
        runId: encodeId("run", run_id),
      });
    const { tenantId = "" } = principal;
    const { errors } = await cancel(aPrincipal({ tenantId, scopes: ["integration.connections.write"] }));
    expect(errors?.[0]?.extensions).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["payments.write"],
    });
    const scopes = ["integration.connections.write", "payments.write"] as const;
    expect((await cancel(aPrincipal({ tenantId, scopes }))).data.cancelRun).toEqual({ status: "Cancelled" });
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "CommandDeadLettered", data: { error: { code: "RUN_CANCELLED" } } },
    ]);
  });

  it("is not reported by another tenant or provider", async () => {
    const { report } = await connect();
    const command = await sent();
    await becomes(command, "Awaited", "RetryScheduled");
    const other = await connect();
    const owner = principal;
    principal = aPrincipal();
    const stranger = await connect();
    for (const source of [other, stranger]) await source.report({ type: "payment.paid", id: "pay-1", ref: command.id });
    principal = owner;
    await report({ type: "payment.declined", id: "pay-1" });
    expect(await typesOf(command)).toEqual(["PaymentFailed"]);
  });
});
