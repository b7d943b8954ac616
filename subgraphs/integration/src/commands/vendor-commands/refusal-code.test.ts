import { refusalCodeIn, refusalCodeOf } from "./refusal-code.js";

const answer = (body: unknown) => ({ body: Buffer.from(JSON.stringify(body)), truncated: false });

describe("the code of a refusal", () => {
  it.each<[string, unknown, string]>([
    [
      "Stripe",
      { error: { type: "card_error", code: "card_declined", decline_code: "insufficient_funds" } },
      "insufficient_funds",
    ],
    ["Stripe without a decline", { error: { type: "card_error", code: "expired_card" } }, "expired_card"],
    [
      "a look at a payment",
      { status: "requires_payment_method", last_payment_error: { code: "card_declined" } },
      "card_declined",
    ],
    ["an event", { data: { object: { last_payment_error: { decline_code: "lost_card" } } } }, "lost_card"],
    ["Twilio", { code: 21211, message: "The 'To' number +41… is not valid", status: 400 }, "21211"],
    ["JSON:API", { errors: [{ code: "E17", detail: "…" }] }, "E17"],
    ["an error that is a word", { error: "RecordInvalid" }, "RecordInvalid"],
  ])("is found in the answer of %s", (_, body, code) => {
    expect(refusalCodeOf(answer(body))).toBe(code);
    expect(refusalCodeIn(body)).toBe(code);
  });

  it.each<[string, unknown]>([
    ["a sentence", { error: "The customer Ada Lovelace has no card." }],
    ["an address", { code: "ada@people.example" }],
    ["a long text", { code: "x".repeat(81) }],
    ["an object", { error: { message: "no" } }],
    ["null", null],
    ["a list", [1]],
    ["a member that every object has", { error: {} }],
  ])("is no text that may repeat what was sent: %s", (_, body) => {
    expect(refusalCodeOf(answer(body))).toBeUndefined();
  });

  it("is not looked for in an answer that is cut off or no JSON", () => {
    expect(refusalCodeOf({ body: Buffer.from('{"code":"x"}'), truncated: true })).toBeUndefined();
    expect(refusalCodeOf({ body: Buffer.from("<html>"), truncated: false })).toBeUndefined();
  });
});
