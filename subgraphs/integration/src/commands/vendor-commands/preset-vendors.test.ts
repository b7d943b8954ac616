import { continueTrace } from "@factory/runtime/telemetry/trace";
import { vendorUrl } from "../../connections/vendor-calls/vendor-url.js";
import { readDelivery } from "../../deliveries/arrived-deliveries/delivery-facts.js";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";
import { reportsOf, type VendorReport } from "../../providers/provider-drivers/vendor-report.js";
import { presetOf, providerPresets } from "../../providers/providers/provider-presets.js";
import { answerUrl, answerValue, valueInPayload } from "./answer-value.js";
import { withCurrency } from "./payments/payment-data.js";
import { formOf, renderedTemplate } from "./rendered-template.js";

const commandId = "cmd_01jd0000000000000000000000";

const driverOf = (preset: string) => presetOf({ preset, key: preset })?.driver ?? {};

function templateOf(preset: string, type: VendorCommandType) {
  const template = driverOf(preset).commands?.[type];
  if (!template) throw new Error(`The preset ${preset} has no ${type}.`);
  return template;
}

/** The report in a vendor's delivery, with the ids that it names. */
function reportIn(preset: string, body: unknown, type: string) {
  const headers = new Map([["content-type", [type]]]);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const message = { headers, body: Buffer.from(text), url: "https://platform.example/" };
  const trace = continueTrace(undefined);
  const driver = driverOf(preset);
  const delivery = readDelivery(
    { form: "Vendor", providerKey: preset, hint: undefined, message, address: "192.0.2.1", trace },
    { driver, providerKey: preset, preset },
  );
  const [event] = "events" in delivery ? delivery.events : [];
  const report = reportsOf(driver, event?.eventName ?? "").find(
    ({ when }) => !when || valueInPayload(event?.value, when.value) === when.equals,
  );
  const at = (path: string | undefined) => (path === undefined ? undefined : valueInPayload(event?.value, path));
  return { report, told: report ? [report.outcome, at(report.commandId), at(report.vendorId)] : null };
}

const json = "application/json";
const mail = (event: string) =>
  [
    "sendgrid",
    [{ event, email: "ada@people.example", sg_event_id: "e-1", sg_message_id: "m-1.recvd", commandId }],
    json,
  ] as const;
const sms = (status: string) =>
  [
    "twilio",
    `MessageSid=SM1&SmsSid=SM1&SmsStatus=${status}&MessageStatus=${status}&AccountSid=AC1&To=%2B41791234567`,
    "application/x-www-form-urlencoded",
  ] as const;
const money = (type: string, id: string, status: string) =>
  [
    "stripe",
    { id: "evt_1", object: "event", type, data: { object: { id, status, amount: 1999, metadata: { commandId } } } },
    json,
  ] as const;

type Told = readonly [outcome: string, commandId: string | undefined, vendorId: string | undefined];

const deliveries: readonly (readonly [string, ReturnType<typeof mail | typeof sms | typeof money>, Told | null])[] = [
  ["a mail that has arrived", mail("delivered"), ["EmailDelivered", commandId, undefined]],
  ["a mail that came back", mail("bounce"), ["EmailBounced", commandId, undefined]],
  ["a mail that was not sent", mail("dropped"), ["EmailBounced", commandId, undefined]],
  ["a mail that was read", mail("open"), null],
  ["a mail that waits", mail("deferred"), null],
  ["a text message that has arrived", sms("delivered"), ["SmsDelivered", undefined, "SM1"]],
  ["a text message that did not arrive", sms("undelivered"), ["SmsFailed", undefined, "SM1"]],
  ["a text message that has failed", sms("failed"), ["SmsFailed", undefined, "SM1"]],
  ["a text message that was sent", sms("sent"), null],
  ["a payment", money("payment_intent.succeeded", "pi_1", "succeeded"), ["PaymentCharged", commandId, "pi_1"]],
  [
    "a payment that has failed",
    money("payment_intent.payment_failed", "pi_1", "requires_payment_method"),
    ["PaymentFailed", commandId, "pi_1"],
  ],
  [
    "a payment that was cancelled",
    money("payment_intent.canceled", "pi_1", "canceled"),
    ["PaymentFailed", commandId, "pi_1"],
  ],
  ["a payment that is under way", money("payment_intent.processing", "pi_1", "processing"), null],
  ["a refund at once", money("refund.created", "re_1", "succeeded"), ["PaymentRefunded", commandId, "re_1"]],
  ["a refund that has begun", money("refund.created", "re_1", "pending"), null],
  ["a refund", money("refund.updated", "re_1", "succeeded"), ["PaymentRefunded", commandId, "re_1"]],
  ["a refund of a charge", money("charge.refund.updated", "re_1", "succeeded"), ["PaymentRefunded", commandId, "re_1"]],
  ["a refund that waits", money("charge.refund.updated", "re_1", "pending"), null],
  ["a refund that has failed", money("refund.failed", "re_1", "failed"), ["RefundFailed", commandId, "re_1"]],
];

describe("the reports of the presets", () => {
  it.each(deliveries)("tell of %s", (_, [preset, body, type], expectedReport) => {
    expect(reportIn(preset, body, type).told).toEqual(expectedReport);
  });

  it("are all among these", () => {
    const testedReports = new Set(deliveries.map(([, [preset, body, type]]) => reportIn(preset, body, type).report));
    const isMissing = (report: VendorReport) => !testedReports.has(report);
    expect(providerPresets.flatMap((preset) => preset.driver.webhook?.reports ?? []).filter(isMissing)).toEqual([]);
  });
});

describe("the preset of a vendor of payments", () => {
  const formFor = (type: VendorCommandType, data: Record<string, unknown>) => {
    const body = renderedTemplate(templateOf("stripe", type).body, { ...withCurrency(data), commandId });
    return Object.fromEntries(new URLSearchParams(formOf(body)));
  };
  const answer = (body: object) => ({ headers: {}, body: Buffer.from(JSON.stringify(body)), truncated: false });

  it("asks for a refund of a part, or of the whole payment", () => {
    const whole = { payment_intent: "pi_1", "metadata[commandId]": commandId };
    expect(formFor("RefundPayment", { paymentRef: "pi_1" })).toEqual(whole);
    const part = { paymentRef: "pi_1", amountMinor: 200, currency: "CHF" };
    expect(formFor("RefundPayment", part)).toEqual({ ...whole, amount: "200" });
    expect(templateOf("stripe", "RefundPayment")).toMatchObject({ method: "POST", path: "/v1/refunds" });
  });

  it("asks for a page to pay at, and finds its address", () => {
    const template = templateOf("stripe", "CreateCheckoutSession");
    const addresses = { successUrl: "https://shop.example/paid?a=b&c", cancelUrl: "https://shop.example/cart" };
    const data = { amountMinor: 1999, currency: "CHF", description: "A month", ...addresses };
    const form = {
      ...{ mode: "payment", client_reference_id: commandId },
      ...{ "line_items[0][quantity]": "1", "line_items[0][price_data][currency]": "chf" },
      "line_items[0][price_data][unit_amount]": "1999",
      "line_items[0][price_data][product_data][name]": "A month",
      ...{ success_url: addresses.successUrl, cancel_url: addresses.cancelUrl },
    };
    expect(formFor("CreateCheckoutSession", data)).toEqual(form);
    expect(formFor("CreateCheckoutSession", { ...data, customerRef: "cus_1" })).toEqual({ ...form, customer: "cus_1" });
    const url = "https://checkout.vendor.example/c/pay/cs_1#fid";
    const session = answer({ id: "cs_1", object: "checkout.session", url, payment_intent: null });
    expect(answerValue(session, template.vendorId ?? "")).toBe("cs_1");
    expect(answerUrl(session, template.url ?? "")).toBe(url);
  });

  it.each([
    ["ChargePayment", "payment_intents/pi_1", "succeeded", "PaymentCharged"],
    ["ChargePayment", "payment_intents/pi_1", "canceled", "PaymentFailed"],
    ["ChargePayment", "payment_intents/pi_1", "requires_payment_method", "PaymentFailed"],
    ["ChargePayment", "payment_intents/pi_1", "processing", undefined],
    ["RefundPayment", "refunds/re_1", "succeeded", "PaymentRefunded"],
    ["RefundPayment", "refunds/re_1", "failed", "RefundFailed"],
    ["RefundPayment", "refunds/re_1", "canceled", "RefundFailed"],
    ["RefundPayment", "refunds/re_1", "pending", undefined],
  ] as const)("tells of %s at %s by the state %s that it is %s", (type, path, status, outcome) => {
    const { state } = templateOf("stripe", type);
    const vendorId = path.slice(path.indexOf("/") + 1);
    expect(vendorUrl("https://api.vendor.example", { vendorId }, { path: state?.path ?? "" }).pathname).toBe(
      `/v1/${path}`,
    );
    const value = answerValue(answer({ id: vendorId, status, amount: 1999 }), state?.value ?? "");
    expect(value === null ? undefined : state?.outcomes[value]).toBe(outcome);
  });
});
