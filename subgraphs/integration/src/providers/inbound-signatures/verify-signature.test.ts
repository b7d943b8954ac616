import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";
import { generateSigningSecret } from "../../ground/standard-webhooks/signing-secret.js";
import type { InboundMessage } from "./inbound-message.js";
import type { EcdsaScheme, HmacScheme, KeyedScheme } from "./signature-scheme.js";
import { signedContents } from "./signed-content.js";
import { prepareSignature, verifySignature } from "./verify-signature.js";

type Headers = Record<string, string | string[]>;

const plain = { kind: "hmac", algorithm: "sha256", encoding: "hex" } as const;
const hub: HmacScheme = { ...plain, header: "x-hub-signature-256", prefix: "sha256=", signedContent: "{body}" };
const base64: HmacScheme = { ...plain, header: "x-signature", encoding: "base64", signedContent: "{body}" };
const listScheme: HmacScheme = {
  ...plain,
  header: "stripe-signature",
  fields: { timestamp: "t", signature: "v1" },
  signedContent: "{timestamp}.{body}",
};
const timedScheme: HmacScheme = {
  ...plain,
  header: "x-slack-signature",
  prefix: "v0=",
  timestampHeader: "x-slack-request-timestamp",
  signedContent: "v0:{timestamp}:{body}",
};
const url: HmacScheme = {
  kind: "hmac",
  algorithm: "sha1",
  encoding: "base64",
  header: "x-twilio-signature",
  signedContent: "{url}{form}",
  bodyHashParameter: "bodySHA256",
};
const token = { kind: "token", header: "x-gitlab-token" } as const;
const standard = { kind: "standard-webhooks" } as const;
const ecdsa: EcdsaScheme = {
  kind: "ecdsa",
  header: "x-signature",
  timestampHeader: "x-timestamp",
  signedContent: "{timestamp}{body}",
};

function aMessage(
  body: string | Buffer,
  headers: Headers,
  target = "https://platform.example/webhooks",
): InboundMessage {
  const lists = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const);
  return { headers: new Map(lists), body: Buffer.from(body), url: target };
}

const hmac = (algorithm: string, secret: string | Buffer, content: string, encoding: "hex" | "base64" = "hex") =>
  createHmac(algorithm, secret).update(content).digest(encoding);

const secret = "a secret of the vendor";
const now = new Date(1_700_000_000_000);
const seconds = now.getTime() / 1_000;
const form = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };

describe("published examples", () => {
  it("GitHub's documentation", () => {
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const message = aMessage("Hello, World!", { "x-hub-signature-256": signature });
    expect(verifySignature(hub, message, "It's a Secret to Everybody", now)).toBe("valid");
  });

  it("Slack's documentation", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      "x-slack-request-timestamp": "1531420618",
    };
    const key = "8f742231b10e8888abcd99yyyzzz85a5";
    expect(verifySignature(timedScheme, aMessage(body, headers), key, new Date(1_531_420_618_000))).toBe("valid");
    expect(verifySignature(timedScheme, aMessage(body, headers), key, now)).toBe("expired");
  });

  it("Twilio's documentation, whose token is too short to verify here", () => {
    const body = new URLSearchParams([
      ["To", "+18005551212"],
      ["Digits", "1234"],
      ["From", "+14158675309"],
      ["CallSid", "CA1234567890ABCDE"],
      ["Caller", "+14158675309"],
    ]);
    const documentedSignature = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";
    const headers = { ...form, "x-twilio-signature": documentedSignature };
    const message = aMessage(body.toString(), headers, "https://mycompany.com/myapp.php?foo=1&bar=2");
    const [content] = signedContents(url, message, {}) ?? [];
    expect(hmac("sha1", "12345", String(content), "base64")).toBe(documentedSignature);
    expect(verifySignature(url, message, "12345", now)).toBe("invalid");
  });

  it("the Standard Webhooks libraries", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const message = aMessage('{"test": 2432232314}', headers);
    const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(verifySignature(standard, message, key, new Date(1_614_265_330_000))).toBe("valid");
  });

  it("SendGrid's libraries", () => {
    const event = {
      email: "hello@world.com",
      event: "dropped",
      reason: "Bounced Address",
      sg_event_id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",
      sg_message_id: "LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",
      "smtp-id": "<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>",
      timestamp: 1_600_112_492,
    };
    const headers = {
      "x-signature": "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
      "x-timestamp": "1600112502",
    };
    const key =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
    const message = aMessage(`${JSON.stringify([event])}\r\n`, headers);
    expect(verifySignature(ecdsa, message, key, new Date(1_600_112_502_000))).toBe("valid");
  });
});

interface Signed {
  readonly scheme: KeyedScheme;
  readonly key: string;
  readonly header: string;
  readonly message: InboundMessage;
}

const keyPair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const edPair = generateKeyPairSync("ed25519");
const edPublic = edPair.publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const signingSecret = generateSigningSecret();
const body = '{"id":"evt_1"}';

/** A message for each scheme, signed at the given time. */
const signers: Record<string, (at: number) => Signed> = {
  hex: () => {
    const headers = { "x-hub-signature-256": `sha256=${hmac("sha256", secret, body)}` };
    return { scheme: hub, key: secret, header: "x-hub-signature-256", message: aMessage(body, headers) };
  },
  base64: () => {
    const headers = { "x-signature": hmac("sha256", secret, body, "base64") };
    return { scheme: base64, key: secret, header: "x-signature", message: aMessage(body, headers) };
  },
  "a key in base64": () => {
    const key = Buffer.from(secret).toString("base64");
    const headers = { "x-signature": hmac("sha256", secret, body, "base64") };
    const scheme = { ...base64, keyEncoding: "base64" } as const;
    return { scheme, key, header: "x-signature", message: aMessage(body, headers) };
  },
  "a key in hexadecimal digits": () => {
    const key = Buffer.from(secret).toString("hex");
    const headers = { "x-signature": hmac("sha256", secret, body, "base64") };
    const scheme = { ...base64, keyEncoding: "hex" } as const;
    return { scheme, key, header: "x-signature", message: aMessage(body, headers) };
  },
  "a signed id": (at) => {
    const scheme: HmacScheme = {
      ...{ ...plain, header: "x-signature", idHeader: "x-id", timestampHeader: "x-at" },
      signedContent: "{id}.{timestamp}.{body}",
    };
    const headers = {
      "x-id": "evt-1",
      "x-at": String(at),
      "x-signature": hmac("sha256", secret, `evt-1.${at}.${body}`),
    };
    return { scheme, key: secret, header: "x-signature", message: aMessage(body, headers) };
  },
  "a time of ISO 8601": (at) => {
    const scheme: HmacScheme = {
      ...plain,
      header: "x-signature",
      timestampHeader: "x-at",
      timestampFormat: "iso8601",
      signedContent: "{timestamp}{body}",
    };
    const time = Number.isNaN(at) ? "never" : at < 0 ? "-1" : new Date(at * 1000).toISOString();
    const headers = { "x-at": at % 1 === 0 ? time : `${time}x`, "x-signature": hmac("sha256", secret, time + body) };
    return { scheme, key: secret, header: "x-signature", message: aMessage(body, headers) };
  },
  "a time in milliseconds": (at) => {
    const scheme: HmacScheme = {
      ...plain,
      header: "x-signature",
      timestampHeader: "x-at",
      timestampFormat: "milliseconds",
      signedContent: "{timestamp}{body}",
    };
    const time = at % 1 === 0 ? String(at * 1000) : `${at}`;
    const headers = { "x-at": time, "x-signature": hmac("sha256", secret, time + body) };
    return { scheme, key: secret, header: "x-signature", message: aMessage(body, headers) };
  },
  "a named set of headers of Standard Webhooks": (at) => {
    const names = { idHeader: "svix-id", timestampHeader: "svix-timestamp", header: "svix-signature" };
    const content = `msg_1.${at}.${body}`;
    const mac = createHmac("sha256", Buffer.from(signingSecret.slice(6), "base64"))
      .update(content)
      .digest("base64");
    const headers = { "svix-id": "msg_1", "svix-timestamp": String(at), "svix-signature": `v1,${mac}` };
    const scheme = { ...standard, ...names } as const;
    return { scheme, key: signingSecret, header: "svix-signature", message: aMessage(body, headers) };
  },
  "a public key of Standard Webhooks": (at) => {
    const signature = sign(null, Buffer.from(`msg_1.${at}.${body}`), edPair.privateKey).toString("base64");
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(at), "webhook-signature": `v1a,${signature}` };
    const key = `whpk_${edPublic.toString("base64")}`;
    return { scheme: standard, key, header: "webhook-signature", message: aMessage(body, headers) };
  },
  "Ed25519 with a key in hexadecimal digits": (at) => {
    const scheme = {
      kind: "ed25519",
      header: "x-signature",
      encoding: "hex",
      timestampHeader: "x-at",
      signedContent: "{timestamp}{body}",
    } as const;
    const signature = sign(null, Buffer.from(at + body), edPair.privateKey).toString("hex");
    const headers = { "x-at": String(at), "x-signature": signature };
    return { scheme, key: edPublic.toString("hex"), header: "x-signature", message: aMessage(body, headers) };
  },
  "a list with a time": (at) => {
    const headers = { "stripe-signature": `t=${at},v0=00,v1=${hmac("sha256", secret, `${at}.${body}`)}` };
    return { scheme: listScheme, key: secret, header: "stripe-signature", message: aMessage(body, headers) };
  },
  "a header with the time": (at) => {
    const signature = `v0=${hmac("sha256", secret, `v0:${at}:${body}`)}`;
    const headers = { "x-slack-signature": signature, "x-slack-request-timestamp": String(at) };
    return { scheme: timedScheme, key: secret, header: "x-slack-signature", message: aMessage(body, headers) };
  },
  "the URL and a form": () => {
    const target = "https://platform.example/webhooks/deliveries/sms?a=1";
    const signature = hmac("sha1", secret, `${target}AB=CCcDd`, "base64");
    const message = aMessage("Cc=Dd&A=B%3DC", { ...form, "x-twilio-signature": signature }, target);
    return { scheme: url, key: secret, header: "x-twilio-signature", message };
  },
  "the URL and the hash of the body": () => {
    const target = `https://platform.example/sms?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
    const headers = {
      "content-type": "application/json",
      "x-twilio-signature": hmac("sha1", secret, target, "base64"),
    };
    return { scheme: url, key: secret, header: "x-twilio-signature", message: aMessage(body, headers, target) };
  },
  "Standard Webhooks": (at) => {
    const key = Buffer.from(signingSecret.slice(6), "base64");
    const signature = `v1a,x v1,${hmac("sha256", key, `msg_1.${at}.${body}`, "base64")}`;
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(at), "webhook-signature": signature };
    return { scheme: standard, key: signingSecret, header: "webhook-signature", message: aMessage(body, headers) };
  },
  ECDSA: (at) => {
    const signature = sign("sha256", Buffer.from(at + body), keyPair.privateKey).toString("base64");
    const key = keyPair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
    const headers = { "x-signature": signature, "x-timestamp": String(at) };
    return { scheme: ecdsa, key, header: "x-signature", message: aMessage(body, headers) };
  },
};

const withHeader = (message: InboundMessage, name: string, ...values: string[]): InboundMessage => ({
  ...message,
  headers: new Map([...message.headers, [name, values]]),
});

function flipped(text: string): string {
  const at = text.length - 10;
  return `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;
}

describe.each(Object.entries(signers))("a signature by %s", (_, signMessage) => {
  const { scheme, key, header, message } = signMessage(seconds);
  const value = message.headers.get(header)?.[0] ?? "";
  const isTimed = signMessage(1).message.headers.get(header)?.[0] !== value && scheme.kind !== "token";
  const expectRefusal = (changedMessage: InboundMessage, with_ = key) => {
    expect(verifySignature(scheme, changedMessage, with_, now)).toBe("invalid");
    expect(prepareSignature(scheme, changedMessage, now)?.matches(with_) ?? false).toBe(false);
  };

  it("is valid", () => {
    expect(verifySignature(scheme, message, key, now)).toBe("valid");
    const preparedSignature = prepareSignature(scheme, message, now);
    expect([preparedSignature?.matches(key), preparedSignature?.isRecent]).toEqual([true, true]);
  });

  it("is not valid after a change of the body", () => {
    for (const changedBody of [
      `${message.body.toString()} `,
      "",
      message.body.toString().replace("1", "2").replace("D", "E"),
    ])
      expectRefusal({ ...message, body: Buffer.from(changedBody) });
  });

  it("is not valid after a change of itself, of its length or its encoding", () => {
    const texts = [flipped(value), value.slice(0, -1), `${value}0`, "", `x${value}`.replace("v1,", "v1,x")];
    // A list may hold members for other versions, so that text after it does not count.
    const strict = scheme.kind === "standard-webhooks" ? [] : [`${value}.`, `${value}=`, `${value}\u00e4`];
    for (const text of [...texts, ...strict]) expectRefusal(withHeader(message, header, text));
    expectRefusal({ ...message, headers: new Map([...message.headers].filter(([name]) => name !== header)) });
  });

  it("is not valid when its header is given twice or joined", () => {
    expectRefusal(withHeader(message, header, value, value));
    if (scheme.kind !== "standard-webhooks") expectRefusal(withHeader(message, header, `${value}, ${value}`));
  });

  it("is not valid with another or a weak secret", () => {
    for (const other of [`${key}A`, "", "short", generateSigningSecret(), "x".repeat(2_000)])
      expectRefusal(message, other);
  });

  it("expires after 300 s in both directions, and needs digits as its time", () => {
    if (!isTimed) return;
    for (const [at, verdict] of [
      [seconds - 300, "valid"],
      [seconds + 300, "valid"],
      [seconds - 301, "expired"],
      [seconds + 301, "expired"],
    ] as const) {
      const old = signMessage(at);
      expect(verifySignature(old.scheme, old.message, old.key, now)).toBe(verdict);
      expect(prepareSignature(old.scheme, old.message, now)?.isRecent).toBe(verdict === "valid");
    }
    for (const at of [seconds + 0.5, -1, Number.NaN]) {
      const odd = signMessage(at);
      expect(verifySignature(odd.scheme, odd.message, odd.key, now)).toBe("invalid");
    }
  });
});

describe("a token", () => {
  const verdict = (sentToken: string | string[], heldToken: string) =>
    verifySignature(token, aMessage("{}", { "x-gitlab-token": sentToken }), heldToken, now);

  it("is compared as a whole", () => {
    expect(verdict("a-long-token", "a-long-token")).toBe("valid");
    expect(verdict("a-long-token", "a-long-tokeN")).toBe("invalid");
    expect(verdict("a-long-token", "a-long-token-")).toBe("invalid");
    expect(verdict(["a-long-token", "a-long-token"], "a-long-token")).toBe("invalid");
    expect(verdict("short", "short")).toBe("invalid");
    expect(verdict("", "")).toBe("invalid");
  });
});

describe("a signature over URL and form", () => {
  const target = "https://platform.example/sms";
  const signedMessage = (content: string, sentBody: string, headers: Headers, at = target) =>
    aMessage(sentBody, { ...headers, "x-twilio-signature": hmac("sha1", secret, content, "base64") }, at);

  it("is valid whether or not the vendor names the port", () => {
    const messageWithPort = signedMessage("https://platform.example:443/smsab", "a=b", form);
    expect(verifySignature(url, messageWithPort, secret, now)).toBe("valid");
    const bare = signedMessage(`${target}ab`, "a=b", form, "https://platform.example:8443/sms");
    expect(verifySignature(url, bare, secret, now)).toBe("valid");
    const other = signedMessage("https://platform.example:444/smsab", "a=b", form);
    expect(verifySignature(url, other, secret, now)).toBe("invalid");
  });

  it("takes equal parameters once and several values in order", () => {
    const message = signedMessage(`${target}a1a2b`, "a=2&b&a=1&a=2", form);
    expect(verifySignature(url, message, secret, now)).toBe("valid");
  });

  it("does not leave the body unsigned", () => {
    const json = { "content-type": "application/json" };
    expect(prepareSignature(url, signedMessage(target, "{}", json), now)).toBeUndefined();
    const hash = createHash("sha256").update("{}").digest("hex");
    const hashedUrl = `${target}?bodySHA256=${hash}`;
    expect(verifySignature(url, signedMessage(hashedUrl, "{}", json, hashedUrl), secret, now)).toBe("valid");
    expect(prepareSignature(url, signedMessage(hashedUrl, "[]", json, hashedUrl), now)).toBeUndefined();
    // A signed JSON delivery must not become an empty form.
    expect(prepareSignature(url, signedMessage(hashedUrl, "", form, hashedUrl), now)).toBeUndefined();
    const twice = `${hashedUrl}&bodySHA256=${hash}`;
    expect(prepareSignature(url, signedMessage(twice, "{}", json, twice), now)).toBeUndefined();
    const many = Array.from({ length: 1_001 }, (_, index) => `p${index}=1`).join("&");
    expect(prepareSignature(url, signedMessage(target, many, form), now)).toBeUndefined();
  });
});

describe("several signatures in one header", () => {
  const list = (...members: string[]) => aMessage(body, { "stripe-signature": members.join(",") });
  const good = hmac("sha256", secret, `${seconds}.${body}`);
  const other = hmac("sha256", "another secret", `${seconds}.${body}`);

  it("need one that verifies", () => {
    expect(verifySignature(listScheme, list(`t=${seconds}`, `v1=${other}`, `v1=${good}`), secret, now)).toBe("valid");
    expect(verifySignature(listScheme, list(`t=${seconds}`, `v1=${other}`), secret, now)).toBe("invalid");
  });

  it.each([
    ["two times", [`t=${seconds}`, `t=${seconds}`, `v1=${good}`]],
    ["no time", [`v1=${good}`]],
    ["no signature of this version", [`t=${seconds}`, `v0=${good}`]],
    ["a signature of another length", [`t=${seconds}`, `v1=${good}`, "v1=00"]],
    ["too many members", [`t=${seconds}`, ...Array.from({ length: 64 }, () => `v1=${good}`)]],
  ])("do not verify with %s", (_, members) => {
    expect(prepareSignature(listScheme, list(...members), now)).toBeUndefined();
  });
});

it("an algorithm is that of the scheme, not that of the signature", () => {
  const message = aMessage(body, { "x-hub-signature-256": `sha256=${hmac("sha1", secret, body)}` });
  expect(prepareSignature(hub, message, now)).toBeUndefined();
  const longer = aMessage(body, { "x-hub-signature-256": `sha256=${hmac("sha512", secret, body)}` });
  expect(prepareSignature(hub, longer, now)).toBeUndefined();
});

it("a key of another curve or kind never verifies", () => {
  const { message } = (signers["ECDSA"] as (at: number) => Signed)(seconds);
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey;
  for (const key of [p384, rsa])
    expect(verifySignature(ecdsa, message, key.export({ format: "pem", type: "spki" }).toString(), now)).toBe(
      "invalid",
    );
  const pem = keyPair.publicKey.export({ format: "pem", type: "spki" }).toString();
  expect(verifySignature(ecdsa, message, pem, now)).toBe("valid");
  const privatePem = keyPair.privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  expect(verifySignature(ecdsa, message, privatePem, now)).toBe("invalid");
});

describe("several signatures in one header", () => {
  const listedOnly: HmacScheme = { ...plain, header: "x-s", fields: { signature: "v1" }, signedContent: "{body}" };
  const separatedScheme: HmacScheme = {
    ...plain,
    header: "x-s",
    prefix: "v1=",
    separator: "comma",
    signedContent: "{body}",
  };
  const good = hmac("sha256", secret, body);
  const bad = hmac("sha256", "another secret", body);
  const outcome = (scheme: HmacScheme, header: string) =>
    verifySignature(scheme, aMessage(body, { "x-s": header }), secret, now);

  it.each([
    ["fields", listedOnly],
    ["a separator", separatedScheme],
  ])("by %s verify when one of them does, and those of other versions do not count", (_, scheme) => {
    for (const header of [`v1=${good}`, `v1=${bad},v1=${good}`, `v1=${good}, v2=zz,v1=${bad}`, `v0=${bad},v1=${good}`])
      expect([header, outcome(scheme, header)]).toEqual([header, "valid"]);
    const many = Array.from({ length: 64 }, () => `v1=${bad}`).join(",");
    for (const header of [`v1=${bad}`, `v0=${good}`, good, "", ",", `v1=${good},v1=${good}0`, `${many},v1=${good}`])
      expect([header, outcome(scheme, header)]).toEqual([header, "invalid"]);
  });
});

describe("a signed id", () => {
  const scheme: HmacScheme = {
    ...{ ...plain, header: "x-s", idHeader: "x-id", timestampHeader: "x-at" },
    signedContent: "{id}.{timestamp}.{body}",
  };

  it("has no dot, so that no part of it can move to the next part", () => {
    const signature = hmac("sha256", secret, `a.${seconds}.${seconds}.{}`);
    const verdictOf = (id: string, text: string) =>
      verifySignature(scheme, aMessage(text, { "x-id": id, "x-at": String(seconds), "x-s": signature }), secret, now);
    expect(verdictOf("a", `${seconds}.{}`)).toBe("valid");
    expect(verdictOf(`a.${seconds}`, "{}")).toBe("invalid");
  });

  it("is not valid when it is changed, missing or sent twice", () => {
    const headers = { "x-at": String(seconds), "x-s": hmac("sha256", secret, `a.${seconds}.{}`) };
    const by = (id: Headers) => verifySignature(scheme, aMessage("{}", { ...headers, ...id }), secret, now);
    expect(by({ "x-id": "a" })).toBe("valid");
    for (const id of [{ "x-id": "b" }, {}, { "x-id": "" }, { "x-id": ["a", "a"] }]) expect(by(id)).toBe("invalid");
  });
});

it("a body that was sent compressed is valid by the bytes before and after", () => {
  const sentBody = Buffer.from("compressed bytes");
  for (const signedText of [body, sentBody.toString()]) {
    const headers = { "x-hub-signature-256": `sha256=${hmac("sha256", secret, signedText)}` };
    expect(verifySignature(hub, { ...aMessage(body, headers), sentBody }, secret, now)).toBe("valid");
  }
  const headers = { "x-hub-signature-256": `sha256=${hmac("sha256", secret, "other")}` };
  expect(verifySignature(hub, { ...aMessage(body, headers), sentBody }, secret, now)).toBe("invalid");
});

it("a private key of the platform verifies no delivery, since its receivers could send webhooks back", () => {
  const seed = edPair.privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
  const signature = sign(null, Buffer.from(`msg_1.${seconds}.${body}`), edPair.privateKey).toString("base64");
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1a,${signature}`,
  };
  const verdict = (key: string) => verifySignature(standard, aMessage(body, headers), key, now);
  expect(verdict(`whpk_${edPublic.toString("base64")}`)).toBe("valid");
  expect(verdict(`whsk_${seed.toString("base64")}`)).toBe("invalid");
});

it("a large body with many public-key signatures is refused before one of them is verified", () => {
  const large = `{"text":"${"x".repeat(100_000)}"}`;
  const signature = sign(null, Buffer.from(`msg_1.${seconds}.${large}`), edPair.privateKey).toString("base64");
  const other = sign(null, Buffer.from("other"), edPair.privateKey).toString("base64");
  const verdict = (content: string, others: number) => {
    const signatures = [...Array<string>(others).fill(other), signature].map((each) => `v1a,${each}`).join(" ");
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(seconds), "webhook-signature": signatures };
    return verifySignature(standard, aMessage(content, headers), `whpk_${edPublic.toString("base64")}`, now);
  };
  expect(verdict(large, 1)).toBe("valid");
  expect(verdict(large, 2)).toBe("invalid");
});
