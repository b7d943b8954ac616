import { DomainError } from "@factory/runtime/errors/domain-error";
import { providerPresets } from "../providers/provider-presets.js";
import { checkedDriver, driverUrls } from "./checked-driver.js";
import type { ProviderDriverInput } from "./provider-driver.input.js";
import type { ProviderDriver } from "./provider-driver.js";

const check = (driver: object) => checkedDriver(driver as ProviderDriverInput, "/input/driver");

function problems(driver: object): string[] {
  try {
    check(driver);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "PARAMETERS_INVALID") throw error;
    return (error.facts.errors ?? []).map(({ pointer, code }) => `${pointer.replace("/input/driver/", "")} ${code}`);
  }
  return [];
}

const oauth2 = { tokenUrl: "https://vendor.example/token", clientAuthentication: "none" };
const paths = { deliveryId: ["body:/id"], eventName: ["header:X-Event"] };
const hmac = { kind: "hmac", algorithm: "sha256", header: "X-Signature", encoding: "hex" };
const template = { method: "POST", path: "/send", encoding: "json", body: { to: { $value: "/to" } } };
const nestedObject = (depth: number): object => (depth === 0 ? {} : { a: nestedObject(depth - 1) });
const webhook = (scheme: object) => ({ webhook: { scheme, ...paths } });

describe("a driver", () => {
  it.each(providerPresets.map((preset) => [preset.name, preset.driver] as const))(
    "of the preset %s is valid",
    (_, driver) => {
      expect(check(driver)).toEqual(driver);
    },
  );

  it("is stored without null members and with header names in lower case", () => {
    const driver = check({
      probe: null,
      apiKey: { in: "query", name: "key", prefix: null },
      webhook: { ...webhook(hmac).webhook, account: "header:X-Account", action: "form:Action", batch: null },
    });
    const expectedDriver: ProviderDriver = {
      apiKey: { in: "query", name: "key" },
      webhook: {
        scheme: { ...hmac, header: "x-signature", signedContent: "{body}" } as never,
        deliveryId: ["body:/id"],
        eventName: ["header:x-event"],
        account: "header:x-account",
        action: "form:Action",
      },
    };
    expect(driver).toEqual(expectedDriver);
  });

  it.each([
    ["a path that leaves the base URL", { probe: { method: "GET", path: "/a/%2e%2E/b" } }, ["probe/path FORMAT"]],
    [
      "an expectation outside of the body",
      { probe: { method: "GET", path: "/", expect: { value: "header:x", equals: "1" } } },
      ["probe/expect/value FORMAT"],
    ],
    ["the header host", { headers: { Host: "vendor" } }, ["headers/Host UNKNOWN_VALUE"]],
    ["a header with a secret", { headers: { Authorization: "x" } }, ["headers/Authorization UNKNOWN_VALUE"]],
    ["a line break in a header", { headers: { "x-a": "1\r\nx-b: 2" } }, ["headers/x-a FORMAT"]],
    ["a header that is not a text", { headers: { "x-a": 1 } }, ["headers/x-a TYPE"]],
    ["a header name with a slash", { headers: { "x/a": "1" } }, ["headers/x~1a FORMAT"]],
    [
      "a key in a header of the client",
      { apiKey: { in: "header", name: "Content-Length" } },
      ["apiKey/name UNKNOWN_VALUE"],
    ],
    [
      "a parameter of the platform",
      { oauth2: { ...oauth2, authorizationParameters: { State: "x" } } },
      ["oauth2/authorizationParameters/State UNKNOWN_VALUE"],
    ],
    [
      "a parameter that is not a text",
      { oauth2: { ...oauth2, tokenParameters: { a: {} } } },
      ["oauth2/tokenParameters/a TYPE"],
    ],
    [
      "too many headers",
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, "1"])) },
      ["headers TOO_LONG"],
    ],
    ["a header for idempotency that is reserved", { idempotencyHeader: "TE" }, ["idempotencyHeader UNKNOWN_VALUE"]],
    ["an unknown scheme", webhook({ kind: "magic" }), ["webhook/scheme/kind UNKNOWN_VALUE"]],
    [
      "a scheme without its members",
      webhook({ kind: "hmac" }),
      ["algorithm", "header", "encoding"].map((name) => `webhook/scheme/${name} REQUIRED`),
    ],
    [
      "a member of another scheme",
      webhook({ kind: "token", header: "x", prefix: "y" }),
      ["webhook/scheme/prefix FORMAT"],
    ],
    ["content without the body", webhook({ ...hmac, signedContent: "{url}" }), ["webhook/scheme/signedContent FORMAT"]],
    [
      "a time that is not signed",
      webhook({ ...hmac, timestampHeader: "x-time" }),
      ["webhook/scheme/signedContent FORMAT"],
    ],
    [
      "a signed time that is not sent",
      webhook({ ...hmac, signedContent: "{timestamp}{body}" }),
      ["webhook/scheme/signedContent FORMAT"],
    ],
    [
      "an unknown placeholder",
      webhook({ ...hmac, signedContent: "{body}{secret}" }),
      ["webhook/scheme/signedContent UNKNOWN_VALUE"],
    ],
    [
      "a repeated placeholder",
      webhook({ ...hmac, signedContent: "{body}{body}" }),
      ["webhook/scheme/signedContent DUPLICATE"],
    ],
    ["an id that is not signed", webhook({ ...hmac, idHeader: "x-id" }), ["webhook/scheme/signedContent FORMAT"]],
    [
      "a signed id that is not sent",
      webhook({ ...hmac, signedContent: "{id}.{body}" }),
      ["webhook/scheme/signedContent FORMAT"],
    ],
    ["a token without a place", webhook({ kind: "token" }), ["webhook/scheme/header REQUIRED"]],
    [
      "a token with two places",
      webhook({ kind: "token", header: "x", value: "body:/state" }),
      ["webhook/scheme/header REQUIRED"],
    ],
    [
      "the format of a time that is not there",
      webhook({ ...hmac, timestampFormat: "iso8601" }),
      ["webhook/scheme/timestampFormat FORMAT"],
    ],
    [
      "fields with a separator",
      webhook({ ...hmac, fields: { signature: "v1" }, separator: "comma" }),
      ["webhook/scheme/separator FORMAT"],
    ],
    [
      "an Ed25519 scheme without its encoding",
      webhook({ kind: "ed25519", header: "x-s", timestampHeader: "x-t" }),
      ["webhook/scheme/encoding REQUIRED"],
    ],
    [
      "tests of a URL that every delivery would be, or that answer nothing",
      {
        webhook: {
          ...webhook(hmac).webhook,
          urlTests: [
            { method: "POST", answer: "header:x-challenge" },
            { method: "POST" },
            { method: "PUT" },
            { method: "GET", member: "a" },
            { method: "GET", when: "query:mode" },
          ],
        },
      },
      [
        "webhook/urlTests/0/answer FORMAT",
        "webhook/urlTests/1/answer FORMAT",
        "webhook/urlTests/3/answer REQUIRED",
        "webhook/urlTests/4/equals REQUIRED",
      ],
    ],
    [
      "two places of the events, and an unknown time",
      {
        webhook: {
          ...webhook(hmac).webhook,
          ...{ batch: true, events: "body:/value", signedTime: { value: "body:/at", format: "minutes" } },
        },
      },
      ["webhook/events FORMAT"],
    ],
    [
      "a body hash without the URL",
      webhook({ ...hmac, bodyHashParameter: "h" }),
      ["webhook/scheme/bodyHashParameter FORMAT"],
    ],
    ["an unknown command", { commands: { LaunchRocket: template } }, ["commands/LaunchRocket UNKNOWN_VALUE"]],
    [
      "a command with other members",
      { commands: { SendEmail: { ...template, method: "GET", path: "/a/../b", encoding: "xml", url: "x" } } },
      [
        "commands/SendEmail/url UNKNOWN_VALUE",
        "commands/SendEmail/method UNKNOWN_VALUE",
        "commands/SendEmail/encoding UNKNOWN_VALUE",
        "commands/SendEmail/path FORMAT",
      ],
    ],
    [
      "a command whose body is no object",
      { commands: { SendEmail: { ...template, body: "{}", vendorId: "form:x" } } },
      ["commands/SendEmail/vendorId FORMAT", "commands/SendEmail/body TYPE"],
    ],
    [
      "a command that is answered with an id, without its place",
      { commands: { OpenTicket: { ...template, body: {}, url: 7, repeatable: "yes" } } },
      [
        "commands/OpenTicket/repeatable TYPE",
        "commands/OpenTicket/url FORMAT",
        "commands/OpenTicket/vendorId REQUIRED",
      ],
    ],
    [
      "a page without the place of its address",
      { commands: { CreateCheckoutSession: { ...template, body: {} } } },
      ["commands/CreateCheckoutSession/url REQUIRED"],
    ],
    [
      "a state that tells nothing about the command",
      {
        commands: {
          SendEmail: { ...template, state: {} },
          ChargePayment: {
            ...{ ...template, body: { a: { $value: "/currencyInLowerCase" } } },
            state: { path: "/a/../b", value: "header:x", outcomes: { paid: "PaymentRefunded" }, method: "POST" },
          },
          RefundPayment: { ...template, body: {}, state: { path: "/r/{vendorId}", value: "body:/a" } },
        },
      },
      [
        "commands/SendEmail/state UNKNOWN_VALUE",
        "commands/ChargePayment/state/method UNKNOWN_VALUE",
        "commands/ChargePayment/state/path FORMAT",
        "commands/ChargePayment/state/path FORMAT",
        "commands/ChargePayment/state/value FORMAT",
        "commands/ChargePayment/state/outcomes/paid UNKNOWN_VALUE",
        "commands/RefundPayment/state/outcomes TYPE",
      ],
    ],
    [
      "a value that the command has not",
      { commands: { SendEmail: { ...template, body: { a: { $value: "/secret" }, b: { $value: "subject" } } } } },
      ["commands/SendEmail/body/a/$value UNKNOWN_VALUE", "commands/SendEmail/body/b/$value FORMAT"],
    ],
    [
      "an unknown instruction",
      { commands: { SendEmail: { ...template, body: { a: { $eval: "1" }, b: { $value: "/to", $as: 1 } } } } },
      ["commands/SendEmail/body/a/$eval UNKNOWN_VALUE", "commands/SendEmail/body/b FORMAT"],
    ],
    [
      "an item without a list",
      { commands: { SendEmail: { ...template, body: { a: { $item: "" } } } } },
      ["commands/SendEmail/body/a/$item FORMAT"],
    ],
    [
      "a body with too many levels",
      { commands: { SendEmail: { ...template, body: { a: nestedObject(12) } } } },
      [`commands/SendEmail/body/a${"/a".repeat(9)} TOO_LONG`],
    ],
    [
      "a body with too many values",
      { commands: { SendEmail: { ...template, body: { a: Array.from({ length: 400 }, () => 1) } } } },
      ["commands/SendEmail/body/a/298 TOO_LONG"],
    ],
    [
      "reports that name no command",
      { webhook: { ...webhook({ ...hmac }).webhook, reports: [{ event: "x", outcome: "EmailLost" }] } },
      ["webhook/reports/0 FORMAT"],
    ],
    [
      "a report by a value outside of the body",
      {
        webhook: {
          ...webhook(hmac).webhook,
          reports: [
            { event: "x", outcome: "PaymentCharged", commandId: "body:/a", when: { value: "header:a", equals: "b" } },
          ],
        },
      },
      ["webhook/reports/0/when/value FORMAT"],
    ],
    [
      "a mail server of another kind",
      { smtp: { host: "mail server", port: 25, security: "maybe" } },
      ["smtp/host FORMAT"],
    ],
  ])("with %s is refused", (_, driver, expectedProblems) => {
    expect(problems(driver)).toEqual(expectedProblems);
  });

  it("is refused over 16 KiB, before anything else", () => {
    expect(problems({ headers: { "x-a": "é".repeat(8_200) } })).toEqual(["/input/driver TOO_LONG"]);
  });

  it("keeps no inherited member", () => {
    expect(problems({ headers: JSON.parse('{"__proto__":"x"}') })).toEqual(["headers/__proto__ UNKNOWN_VALUE"]);
    expect(problems({ oauth2: { ...oauth2, tokenParameters: JSON.parse('{"__proto__":"x"}') } })).toEqual([
      "oauth2/tokenParameters/__proto__ FORMAT",
    ]);
  });

  it("names all its URLs", () => {
    const jws = { kind: "jws", jwksUrl: "https://vendor.example/jwks" };
    const driver = check({ oauth2: { ...oauth2, authorizationUrl: "https://vendor.example/a" }, ...webhook(jws) });
    expect(driverUrls(driver, "")).toEqual([
      { pointer: "/oauth2/tokenUrl", url: "https://vendor.example/token" },
      { pointer: "/oauth2/authorizationUrl", url: "https://vendor.example/a" },
      { pointer: "/webhook/scheme/jwksUrl", url: "https://vendor.example/jwks" },
    ]);
  });
});
