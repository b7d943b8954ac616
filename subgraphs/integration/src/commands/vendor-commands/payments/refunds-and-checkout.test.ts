import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { CommandEnvelope } from "@factory/runtime/messages/envelope";
import { aVendorServer, type VendorServer } from "../../../connections/vendor-calls/vendor.fixture.js";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../../integration.fixture.js";
import { aCommand, aCommandConnection, answersTo } from "../vendor-commands.fixture.js";
import { aPaymentConnection, paymentDriver } from "./payments.fixture.js";

let fixture: IntegrationFixture;
let vendor: VendorServer;
let principal: Principal;

beforeAll(async () => {
  [fixture, vendor] = await Promise.all([sharedIntegration(), aVendorServer()]);
});

beforeEach(() => {
  principal = aPrincipal();
  vendor.requests.length = 0;
  vendor.answer = () => ({ status: 200, body: '{"id":"re-1"}' });
});

afterAll(async () => {
  await fixture.close();
  await vendor.close();
});

type PaymentCommand = "ChargePayment" | "RefundPayment" | "CreateCheckoutSession";

async function sent(type: PaymentCommand, data: Record<string, unknown>): Promise<CommandEnvelope> {
  const command = aCommand(principal, type, data);
  await fixture.bus.publish([command]);
  return command;
}

const whenAwaited = ({ id }: CommandEnvelope) =>
  eventually(async () => {
    const [row] = await fixture.rows<{ status: string }>(
      "select status from integration.vendor_commands where command_id = $1",
      decodeId("cmd", id),
    );
    return row?.status === "Awaited" || undefined;
  });

const connect = (driver: object = paymentDriver) => aPaymentConnection(fixture, principal, vendor.origin, driver);

describe("a command to refund a payment", () => {
  it("is done with the answer of the vendor that says so", async () => {
    const { connectionId } = await connect();
    vendor.answer = ({ path }) => ({
      status: 200,
      body: path === "/refunds" ? '{"id":"re-1","state":"done"}' : '{"id":"pay-1","state":"paid"}',
    });
    const data = { amountMinor: 500, currency: "EUR", customerRef: "c", connectionId };
    await answersTo(fixture, await sent("ChargePayment", data));
    const command = await sent("RefundPayment", { paymentRef: "pay-1" });
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "PaymentRefunded", data: { vendorId: "re-1", connectionId, paymentRef: "pay-1" } },
    ]);
  });

  it("goes back through the connection of the payment, and is answered when the vendor has reported it", async () => {
    const first = await connect();
    const second = await connect();
    vendor.answer = ({ path }) => ({ status: 200, body: `{"id":"${path === "/refunds" ? "re-1" : "pay-1"}"}` });
    const { connectionId } = second;
    const charge = await sent("ChargePayment", {
      ...{ amountMinor: 500, currency: "EUR", customerRef: "c", connectionId },
    });
    await whenAwaited(charge);
    await second.report({ type: "payment.paid", id: "pay-1" });
    await answersTo(fixture, charge);
    const command = await sent("RefundPayment", { paymentRef: "pay-1", amountMinor: 200, currency: "EUR" });
    await whenAwaited(command);
    await first.report({ type: "refund.changed", id: "re-1", state: "done" });
    await second.report({ type: "refund.changed", id: "re-1", state: "pending" });
    const deliveryId = await second.report({ type: "refund.changed", id: "re-1", state: "done" });
    expect(await answersTo(fixture, command)).toMatchObject([
      {
        type: "PaymentRefunded",
        data: {
          ...{ commandId: command.id, vendorId: "re-1", connectionId, deliveryId },
          ...{ paymentRef: "pay-1", amountMinor: 200, currency: "EUR" },
        },
      },
    ]);
    expect(vendor.requests.at(-1)).toMatchObject({ path: "/refunds", headers: { "idempotency-key": command.id } });
    expect(JSON.parse(vendor.requests.at(-1)?.body ?? "")).toEqual({ payment: "pay-1", amount: 200 });
  });

  it("happens once, however often it comes", async () => {
    const { report } = await connect();
    const command = await sent("RefundPayment", { paymentRef: "pay-9" });
    await whenAwaited(command);
    // the bus stores an id once, so another delivery is what a consumer sees after a crash
    await fixture.rows("delete from bus.messages where envelope->>'id' = $1", command.id);
    await fixture.bus.publish([command]);
    await report({ type: "refund.changed", id: "re-1", state: "done" });
    expect(await answersTo(fixture, command)).toMatchObject([{ type: "PaymentRefunded", data: { amountMinor: null } }]);
    expect(vendor.requests).toHaveLength(1);
  });

  it.each([
    ["at once", undefined],
    ["by a report", "failed"],
  ])("is answered by CommandDeadLettered with the refusal of the vendor %s", async (_, state) => {
    const { report } = await connect();
    if (state === undefined) vendor.answer = () => ({ status: 404 });
    const command = await sent("RefundPayment", { paymentRef: "pay-9" });
    if (state !== undefined) {
      await whenAwaited(command);
      await report({ type: "refund.changed", id: "re-1", state });
    }
    expect(await answersTo(fixture, command)).toMatchObject([
      { type: "CommandDeadLettered", data: { command: "RefundPayment", error: { code: "VENDOR_REFUSED" } } },
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["no payment", { amountMinor: 1, currency: "CHF" }],
    ["an amount without its currency", { paymentRef: "pay-1", amountMinor: 1 }],
    ["a currency that does not exist", { paymentRef: "pay-1", amountMinor: 1, currency: "QQQ" }],
  ])("is rejected with %s", async (_, data) => {
    await connect();
    expect(await answersTo(fixture, await sent("RefundPayment", data))).toMatchObject([
      { type: "CommandRejected", data: { error: { code: "VALIDATION_FAILED" } } },
    ]);
  });
});

describe("a command to create a checkout session", () => {
  const page = {
    ...{ amountMinor: 1999, currency: "CHF", description: "A month" },
    ...{ successUrl: "https://shop.example/paid", cancelUrl: "https://shop.example/cart" },
  };

  it("is answered with the address of the page", async () => {
    const { connectionId } = await connect();
    const url = `https://pay.vendor.example/${"x".repeat(2000)}`;
    vendor.answer = () => ({ status: 201, body: JSON.stringify({ id: "cs-1", url }) });
    const command = await sent("CreateCheckoutSession", page);
    expect(await answersTo(fixture, command)).toMatchObject([
      {
        type: "CheckoutSessionCreated",
        data: { commandId: command.id, connectionId, vendorId: "cs-1", url, amountMinor: 1999, currency: "CHF" },
      },
    ]);
    expect(JSON.parse(vendor.requests[0]?.body ?? "")).toEqual({ amount: 1999, back: page.successUrl });
  });

  it.each([
    ["no address", '{"id":"cs-1"}'],
    ["no JSON", "<html>"],
    ["a script", '{"url":"javascript:alert(1)"}'],
  ])("is given up when the vendor answers with %s", async (_, body) => {
    await connect();
    vendor.answer = () => ({ status: 200, body });
    expect(await answersTo(fixture, await sent("CreateCheckoutSession", page))).toMatchObject([
      { type: "CommandDeadLettered", data: { error: { code: "OUTCOME_UNKNOWN" } } },
    ]);
  });

  it.each(["javascript:alert(1)", "/paid", "ftp://shop.example"])("is rejected with the address %s", async (url) => {
    await connect();
    expect(await answersTo(fixture, await sent("CreateCheckoutSession", { ...page, successUrl: url }))).toMatchObject([
      { type: "CommandRejected", data: { error: { code: "VALIDATION_FAILED" } } },
    ]);
  });
});

describe("a provider that moves money", () => {
  const register = (input: object) =>
    fixture.run(
      principal,
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      {
        input: {
          ...{ key: newId("prv").slice(4), displayName: "x", category: "Payment", authModel: "None" },
          ...{ capabilities: ["payments.charge"], baseUrl: vendor.origin, ...input },
        },
      },
    );
  const { idempotencyHeader: _, ...withoutKeys } = paymentDriver;
  const expectedRefusal = {
    extensions: {
      code: "PARAMETERS_INVALID",
      errors: [{ pointer: "/input/driver/idempotencyHeader", code: "REQUIRED" }],
    },
  };

  it("must take idempotency keys, of its own or of its preset", async () => {
    expect((await register({ driver: withoutKeys })).errors).toMatchObject([expectedRefusal]);
    expect((await register({ driver: withoutKeys, preset: "stripe" })).errors).toBeUndefined();
  });

  it("cannot lose them by a change", async () => {
    const { data } = await register({ driver: paymentDriver });
    const { errors } = await fixture.run(
      principal,
      "mutation ($id: ID!, $input: UpdateProviderInput!) { updateProvider(providerId: $id, input: $input) { providerId } }",
      { id: data.registerProvider.providerId, input: { driver: withoutKeys } },
    );
    expect(errors).toMatchObject([expectedRefusal]);
  });

  it("is asked as the preset of a vendor describes", async () => {
    await aCommandConnection(fixture, principal, {
      ...{ preset: "stripe", capabilities: ["payments.charge"], baseUrl: vendor.origin },
      ...{ authMode: "ApiKey", kind: "ApiKey", secret: { apiKey: "sk" } },
    });
    vendor.answer = () => ({ status: 200, body: '{"id":"pi_1","status":"processing"}' });
    const command = await sent("ChargePayment", { amountMinor: 1999, currency: "CHF", customerRef: "cus_1" });
    await whenAwaited(command);
    const request = vendor.requests.find(({ method }) => method === "POST");
    expect(request).toMatchObject({ path: "/v1/payment_intents", headers: { "idempotency-key": command.id } });
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      ...{ amount: "1999", currency: "chf", customer: "cus_1", confirm: "true", off_session: "true" },
      ...{ error_on_requires_action: "true", "metadata[commandId]": command.id },
    });
  });
});
