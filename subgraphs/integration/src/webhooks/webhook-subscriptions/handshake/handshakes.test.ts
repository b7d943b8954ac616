import { handshakeAnswer } from "./handshakes.js";

const answer = (headers: Record<string, string>, status = 200) =>
  handshakeAnswer({ status, headers, body: Buffer.alloc(0), truncated: false }, "factory.example");

test.each([
  ["the origin", { "webhook-allowed-origin": "Factory.Example" }, null],
  ["every origin", { "webhook-allowed-origin": "*" }, null],
  ["one of several origins", { "webhook-allowed-origin": "a.example, factory.example" }, null],
  ["a rate", { "webhook-allowed-origin": "*", "webhook-allowed-rate": "120" }, 120],
  ["every rate", { "webhook-allowed-origin": "*", "webhook-allowed-rate": "*" }, null],
  ["a very high rate", { "webhook-allowed-origin": "*", "webhook-allowed-rate": "999999999" }, 1_000_000],
])("a receiver that allows %s agrees", (_, headers, perMinute) => {
  expect(answer(headers as Record<string, string>)).toEqual({ allowed: true, perMinute });
});

test.each([
  ["without the header", {}, 200],
  ["for another origin", { "webhook-allowed-origin": "other.example" }, 200],
  ["for a part of the origin", { "webhook-allowed-origin": "factory" }, 200],
  ["with the rate 0", { "webhook-allowed-origin": "*", "webhook-allowed-rate": "0" }, 200],
  ["with a rate that is not a number", { "webhook-allowed-origin": "*", "webhook-allowed-rate": "fast" }, 200],
  ["with a redirect", { "webhook-allowed-origin": "*" }, 302],
  ["with an error", { "webhook-allowed-origin": "*" }, 500],
])("an answer %s is a refusal", (_, headers, status) => {
  expect(answer(headers as Record<string, string>, status)).toMatchObject({
    allowed: false,
    detail: expect.any(String),
  });
});
