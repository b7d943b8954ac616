import { deliveryJsonLimit } from "@factory/runtime/input-validation/json-size";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { presetOf } from "../../providers/providers/provider-presets.js";
import type { ArrivedDelivery } from "./arrived-delivery.js";
import { readDelivery } from "./delivery-facts.js";
import { parsedBody, valueInBody } from "./delivery-values.js";

function read(
  preset: string,
  body: unknown,
  headers: Record<string, string | string[]> = {},
  form: ArrivedDelivery["form"] = "Vendor",
) {
  const lists = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const delivery: ArrivedDelivery = {
    form,
    providerKey: preset,
    hint: undefined,
    message: { headers: new Map(lists), body: Buffer.from(text), url: "https://platform.example/" },
    address: "192.0.2.1",
    trace: continueTrace(undefined),
  };
  return readDelivery(delivery, {
    preset,
    providerKey: preset,
    driver: presetOf({ preset, key: preset })?.driver ?? {},
  });
}

it("the presets say where id, name and action of a delivery stand", () => {
  const hub = { "x-github-delivery": "d-1", "x-github-event": "pull_request" };
  const readClosed = (isMerged: boolean) =>
    read("github", { action: "closed", pull_request: { merged: isMerged } }, hub);
  expect(readClosed(true)).toMatchObject({
    events: [{ providerDeliveryId: "d-1", named: { event: "pull_request", action: "closed(merged)" } }],
  });
  expect(readClosed(false)).toMatchObject({ events: [{ named: { action: "closed" } }] });
  expect(read("stripe", { id: "evt_1", type: "invoice.paid", account: "acct_1" })).toMatchObject({
    events: [{ providerDeliveryId: "evt_1", eventName: "invoice.paid", account: "acct_1" }],
  });
  const form = { "content-type": "application/x-www-form-urlencoded", "i-twilio-idempotency-token": "t-1" };
  expect(read("twilio", "SmsStatus=delivered&AccountSid=AC1&MessageSid=SM1", form)).toMatchObject({
    events: [{ providerDeliveryId: "t-1", eventName: "message.delivered", account: "AC1" }],
  });
  const { "i-twilio-idempotency-token": _, ...plain } = form;
  for (const [body, id, name] of [
    ["SmsStatus=sent&MessageSid=SM1", "SM1.sent", "message.sent"],
    ["SmsStatus=delivered&MessageSid=SM1", "SM1.delivered", "message.delivered"],
    ["MessageSid=SM1", "SM1", "message"],
    ["CallSid=CA1&CallStatus=ringing", "CA1.ringing", "call.ringing"],
    ["CallSid=CA1&CallStatus=completed", "CA1.completed", "call.completed"],
  ] as const)
    expect(read("twilio", body, plain)).toMatchObject({ events: [{ providerDeliveryId: id, eventName: name }] });
  const mails = ["delivered", "bounce"].map((event, at) => ({ event, sg_event_id: `e-${at}` }));
  expect(read("sendgrid", mails)).toMatchObject({
    events: [
      { providerDeliveryId: "e-0", eventName: "delivered" },
      { providerDeliveryId: "e-1", eventName: "bounce" },
    ],
  });
  expect(read("slack", { type: "url_verification", challenge: "abc" })).toEqual({
    challenge: "abc",
    mediaType: "text/plain",
  });
});

it("the account of a webhook of a GitHub App is its installation, and not the App", () => {
  const headers = {
    "x-github-delivery": "d-1",
    "x-github-event": "installation",
    "x-github-hook-installation-target-type": "integration",
    "x-github-hook-installation-target-id": "79929171",
  };
  const body = { action: "deleted", installation: { id: 1234 } };
  expect(read("github", body, headers)).toMatchObject({ events: [{ account: "1234" }] });
});

it("the account of a delivery as the specification shows it stands in the payload", () => {
  const bodyWith = (payload: unknown) => ({ providerDeliveryId: "d-1", eventName: "tokens_revoked", payload });
  const account = (preset: string, payload: unknown, headers = {}) => {
    const facts = read(preset, bodyWith(payload), headers, "Specified");
    return "events" in facts ? facts.events[0]?.account : undefined;
  };
  expect(account("slack", { team_id: "T1" })).toBe("T1");
  expect(account("slack", {})).toBeUndefined();
  expect(account("slack", "text")).toBeUndefined();
  expect(account("webhook", { account: "one" })).toBeUndefined();
});

it("refuses a body or a form with more members than a parser reads in a few milliseconds", () => {
  const members = Array.from({ length: deliveryJsonLimit.members + 1 }, (_, at) => `k${at}`);
  const tooLarge = expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" });
  const hub = { "x-github-event": "issues", "x-github-delivery": "d-1" };
  // without its last bracket, so that a parser would call it malformed
  const json = `{${members.map((name) => `"${name}":1`).join(",")}`;
  expect(() => read("github", json, { ...hub, "content-type": "application/json" })).toThrow(tooLarge);
  const form = { ...hub, "content-type": "application/x-www-form-urlencoded" };
  expect(() => read("github", members.join("&"), form)).toThrow(tooLarge);
  const text = ":,[&".repeat(100_000);
  expect(read("github", JSON.stringify({ text }), { ...hub, "content-type": "application/json" })).toMatchObject({
    events: [{ value: { text } }],
  });
});

it("reads the JSON in a form of GitHub and of Slack", () => {
  const form = { "content-type": "application/x-www-form-urlencoded", "x-github-delivery": "d-1" };
  const body = (payload: object) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const hub = { ...form, "x-github-event": "issues" };
  expect(read("github", body({ action: "opened" }), hub)).toMatchObject({
    events: [{ eventName: "issues.opened", payload: '{"action":"opened"}', value: { action: "opened" } }],
  });
  expect(read("slack", body({ type: "block_actions", trigger_id: "t-1" }), form)).toMatchObject({
    events: [{ eventName: "block_actions", providerDeliveryId: "t-1" }],
  });
  expect(() => read("github", "payload=%7B", hub)).toThrow(expect.objectContaining({ code: "MALFORMED_JSON" }));
});

it("refuses a header with the id or the event name that occurs twice", () => {
  for (const name of ["x-github-delivery", "x-github-event"]) {
    const headers = { "x-github-delivery": "d-1", "x-github-event": "push", [name]: ["one", "two"] };
    expect(() => read("github", {}, headers)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  }
});

it("reads a form anew for each field that may hold its body", () => {
  const fields = new URLSearchParams({ one: '{"id":"1"}', other: '{"id":"2"}' }).toString();
  const headers = new Map([["content-type", ["application/x-www-form-urlencoded"]]]);
  const message = { headers, body: Buffer.from(fields), url: "https://platform.example/" };
  const delivery = { form: "Vendor", message } as unknown as ArrivedDelivery;
  const idIn = (formPayload: string) => parsedBody(delivery, { formPayload }).body;
  expect([idIn("one"), idIn("other"), idIn("one")]).toEqual([{ id: "1" }, { id: "2" }, { id: "1" }]);
  expect(idIn("one")).toBe(idIn("one"));
});

it("keeps the digits of numbers, and a number has no members", () => {
  const text = '{"id":820982911946154508,"type":1.0,"price":19.90}';
  expect(read("stripe", text)).toMatchObject({
    events: [{ providerDeliveryId: "820982911946154508", eventName: "1.0", payload: text }],
  });
  const body = parseForeignJson(text);
  expect([valueInBody("body:/price", body), valueInBody("body:/price/rawJSON", body)]).toEqual(["19.90", undefined]);
});

describe("a time in the body", () => {
  const at = (webhookTimestamp: unknown) =>
    read("linear", { type: "Issue", action: "create", webhookTimestamp }, { "linear-delivery": "d-1" });

  it("is at most 300 s from now, so that nobody sends a delivery again later", () => {
    expect(at(Date.now())).toMatchObject({ events: [{ providerDeliveryId: "d-1", eventName: "Issue.create" }] });
    for (const far of [-301_000, 301_000])
      expect(() => at(Date.now() + far)).toThrow(expect.objectContaining({ code: "SIGNATURE_EXPIRED" }));
  });

  it.each([undefined, "now", {}, -1, 1.5])("%j is none", (time) => {
    expect(() => at(time)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
});

describe("events inside of a body", () => {
  it("are deliveries of their own, without the secret that each of them has", () => {
    const event = { id: "n-1", changeType: "updated", clientState: "a secret state", resource: "me" };
    const { clientState: _, ...keptMembers } = event;
    const facts = read("microsoft-graph", { value: [event, { ...event, id: "n-2" }] });
    expect(facts).toMatchObject({
      events: [
        { providerDeliveryId: "n-1", eventName: "notification.updated", value: keptMembers },
        { providerDeliveryId: "n-2", value: { ...keptMembers, id: "n-2" } },
      ],
    });
    expect(JSON.stringify(facts)).not.toContain("a secret state");
  });

  it("are counted before any of them is read", () => {
    const list = (count: number) => ({ data: { events: Array.from({ length: count }, () => ({ uuid: "u" })) } });
    expect((read("okta", list(1000)) as { events: unknown[] }).events).toHaveLength(1000);
    for (const body of [list(0), list(1001), {}, [], { data: { events: {} } }])
      expect(() => read("okta", body)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  });
});
