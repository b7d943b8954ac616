import { createHmac } from "node:crypto";
import { generateSigningSecret, parseSigningSecret } from "./signing-secret.js";
import { signWebhook, verifyWebhook, type WebhookHeaders } from "./webhook-signature.js";

// the example that the specification's reference libraries share
const vector = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const now = new Date(vector.timestamp * 1_000);
const secrets = [vector.secret];
const sentHeaders: WebhookHeaders = {
  "webhook-id": vector.id,
  "webhook-timestamp": String(vector.timestamp),
  "webhook-signature": vector.signature,
};

function outcome(changes: WebhookHeaders, body: string | Uint8Array = vector.body): string {
  const result = verifyWebhook({ ...sentHeaders, ...changes }, body, secrets, { now });
  return result.verified ? "verified" : result.code;
}

test("signs the public example as the specification does", () => {
  expect(signWebhook({ ...vector, secrets })).toBe(vector.signature);
  expect(signWebhook({ ...vector, body: Buffer.from(vector.body), secrets })).toBe(vector.signature);
});

test("verifies the public example", () => {
  expect(verifyWebhook(sentHeaders, vector.body, secrets, { now })).toEqual({
    verified: true,
    id: vector.id,
    timestamp: vector.timestamp,
    secretIndex: 0,
  });
});

test("agrees with an HMAC computed elsewhere on bytes that are no text", () => {
  const secret = generateSigningSecret();
  const body = Buffer.from([0, 255, 10, 13, 34, 0x2e]);
  const key = parseSigningSecret(secret) ?? "";
  const digest = createHmac("sha256", key)
    .update(Buffer.concat([Buffer.from("evt_1.1."), body]))
    .digest("base64");
  expect(signWebhook({ id: "evt_1", timestamp: 1, body, secrets: [secret] })).toBe(`v1,${digest}`);
});

test("during a rotation either secret verifies, and the result says which", () => {
  const [newest, older] = [generateSigningSecret(), generateSigningSecret()];
  const signature = signWebhook({ ...vector, secrets: [newest, older] });
  const [first, second] = signature.split(" ");
  expect(first).toBe(signWebhook({ ...vector, secrets: [newest] }));
  expect(second).toBe(signWebhook({ ...vector, secrets: [older] }));
  const headers = { ...sentHeaders, "webhook-signature": signature };
  for (const knownSecret of [newest, older]) {
    expect(verifyWebhook(headers, vector.body, [knownSecret], { now })).toMatchObject({
      verified: true,
      secretIndex: 0,
    });
  }
  const stranger = generateSigningSecret();
  expect(verifyWebhook(headers, vector.body, [stranger, older], { now })).toMatchObject({
    verified: true,
    secretIndex: 1,
  });
  expect(verifyWebhook(headers, vector.body, [stranger], { now })).toMatchObject({ code: "SIGNATURE_INVALID" });
  expect(verifyWebhook(headers, vector.body, [], { now })).toMatchObject({ code: "SIGNATURE_INVALID" });
});

test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("without %s there is no signature", (name) => {
  expect(outcome({ [name]: undefined })).toBe("SIGNATURE_MISSING");
});

describe("what was signed cannot change", () => {
  test.each([
    `${vector.body} `,
    vector.body.replace(" ", ""),
    vector.body.replace("4", "5"),
    "",
    `\uFEFF${vector.body}`,
  ])("body %j is refused", (body) => {
    expect(outcome({}, body)).toBe("SIGNATURE_INVALID");
  });

  test("another id or another time is refused", () => {
    expect(outcome({ "webhook-id": "msg_other" })).toBe("SIGNATURE_INVALID");
    expect(outcome({ "webhook-timestamp": String(vector.timestamp + 1) })).toBe("SIGNATURE_INVALID");
  });

  test("a part cannot move from one field to the next", () => {
    const signature = signWebhook({ id: "evt", timestamp: 1, body: "2.body", secrets });
    const movedHeaders = { "webhook-id": "evt.1", "webhook-timestamp": "2", "webhook-signature": signature };
    expect(verifyWebhook(movedHeaders, "body", secrets, { now: new Date(2_000) })).toMatchObject({
      code: "SIGNATURE_INVALID",
    });
  });
});

const mac = vector.signature.slice(3);

test.each([
  ["empty", ""],
  ["only a version", "v1"],
  ["only a version and a comma", "v1,"],
  ["no version", mac],
  ["version 2", `v2,${mac}`],
  ["version in capitals", `V1,${mac}`],
  ["asymmetric version", `v1a,${mac}`],
  ["comma between signatures", `v1,AAAA,${mac}`],
  ["no padding", vector.signature.slice(0, -1)],
  ["more padding", `${vector.signature}=`],
  ["shortened", `v1,${Buffer.from(mac, "base64").subarray(0, 16).toString("base64")}`],
  ["lengthened", `v1,${Buffer.concat([Buffer.from(mac, "base64"), Buffer.alloc(1)]).toString("base64")}`],
  ["unused bits set", `v1,${mac.slice(0, -2)}F=`],
  ["base64url alphabet", vector.signature.replaceAll("+", "-").replaceAll("/", "_")],
  ["hex", `v1,${Buffer.from(mac, "base64").toString("hex")}`],
  ["tab between signatures", `v1,AAAA\t${vector.signature}`],
  ["newline at the end", `${vector.signature}\n`],
  ["after 32 others", `${"v1,AAAA ".repeat(32)}${vector.signature}`],
  ["one bit changed", vector.signature.replace("g0h", "h0h")],
])("signature %s is refused", (_, signature) => {
  expect(outcome({ "webhook-signature": signature })).toBe("SIGNATURE_INVALID");
});

test.each([
  ["after one of another version", `v1a,AAAA ${vector.signature}`],
  ["before one of another version", `${vector.signature} v2,${mac}`],
  ["after an unreadable one", `v1,AAAA garbage ${vector.signature}`],
  ["with two spaces around", ` ${vector.signature}  `],
])("a good signature %s is found", (_, signature) => {
  expect(outcome({ "webhook-signature": signature })).toBe("verified");
});

test.each([
  "",
  "now",
  "1e9",
  "-1",
  "+1614265330",
  "1614265330.0",
  " 1614265330",
  "0x60379ff2",
  "01614265330",
  "1614265330000000",
  "１６",
])("timestamp %j is refused", (timestamp) => {
  const signature = createHmac("sha256", parseSigningSecret(vector.secret) ?? "").update(
    `${vector.id}.${timestamp}.${vector.body}`,
  );
  const headers = { "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature.digest("base64")}` };
  expect(outcome(headers)).toBe("SIGNATURE_INVALID");
});

test.each(["", "a b", "a\nb", "a.b", "ä", "x".repeat(256)])("id %j is refused, signed or not", (id) => {
  expect(() => signWebhook({ ...vector, id, secrets })).toThrow(TypeError);
  expect(outcome({ "webhook-id": id })).toBe("SIGNATURE_INVALID");
});

test("a header that came twice is refused", () => {
  for (const [name, value] of Object.entries(sentHeaders)) {
    expect(outcome({ [name]: [String(value), String(value)] })).toBe("SIGNATURE_INVALID");
  }
});

test("a message is good for five minutes around its time", () => {
  const at = (offsetSeconds: number, toleranceSeconds?: number) => {
    const options = { now: new Date((vector.timestamp + offsetSeconds) * 1_000) };
    const result = verifyWebhook(
      sentHeaders,
      vector.body,
      secrets,
      toleranceSeconds === undefined ? options : { ...options, toleranceSeconds },
    );
    return result.verified ? "verified" : result.code;
  };
  expect([-300, 0, 300].map((offset) => at(offset))).toEqual(["verified", "verified", "verified"]);
  expect([-301, 301].map((offset) => at(offset))).toEqual(["SIGNATURE_EXPIRED", "SIGNATURE_EXPIRED"]);
  expect([10, 11].map((offset) => at(offset, 10))).toEqual(["verified", "SIGNATURE_EXPIRED"]);
});

test("an old message with a wrong signature is wrong, not old", () => {
  const result = verifyWebhook(sentHeaders, "other", secrets, { now: new Date(0) });
  expect(result).toEqual({ verified: false, code: "SIGNATURE_INVALID" });
});

test("nothing is signed with a malformed secret, without one, or at no time", () => {
  for (const brokenSecrets of [[], ["secret"], [vector.secret, "whsec_AAAA"]]) {
    expect(() => signWebhook({ ...vector, secrets: brokenSecrets })).toThrow(TypeError);
  }
  for (const timestamp of [Number.NaN, 1.5, -1, Number.POSITIVE_INFINITY, 1e21]) {
    expect(() => signWebhook({ ...vector, timestamp, secrets })).toThrow(TypeError);
  }
  expect(() => verifyWebhook(sentHeaders, vector.body, ["broken"], { now })).toThrow(TypeError);
});
