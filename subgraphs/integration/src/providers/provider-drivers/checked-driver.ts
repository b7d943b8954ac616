import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { checkCommands, checkedMailServer } from "./checked-commands.js";
import { checkedScheme, type GivenScheme } from "./checked-scheme.js";
import { DriverProblems } from "./driver-problems.js";
import type { ProviderDriverInput } from "./provider-driver.input.js";
import { type ProviderDriver, type UrlTest, type WebhookDescription } from "./provider-driver.js";
import { type VendorReport } from "./vendor-report.js";

const maxBytes = 16 * 1_024;
const maxEntries = 20;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const parameterName = /^[A-Za-z0-9_.-]{1,100}$/;
const headerValue = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;
const parameterValue = /^[^\p{Cc}\p{Surrogate}]{1,1000}$/u;

/** Headers that carry a secret, which a driver must not hold. */
const secretHeaders = new Set(["authorization", "proxy-authorization", "cookie"]);

/** Parameters that the platform sets itself. To replace them could break the flow's protection. */
const ownParameters = new Set(
  `grant_type client_id client_secret client_assertion client_assertion_type code code_challenge code_challenge_method
   code_verifier redirect_uri response_type refresh_token scope state assertion`.split(/\s+/),
);

/**
 * The driver from an input whose bounds have been checked, with header names in lower case. The URLs are not checked
 * yet. Throws PARAMETERS_INVALID.
 */
export function checkedDriver(input: ProviderDriverInput, pointer: string): ProviderDriver {
  const members = withoutNulls(input);
  const problems = new DriverProblems();
  if (Buffer.byteLength(JSON.stringify(members)) > maxBytes)
    problems.refuse(pointer, `The driver must not be larger than ${maxBytes} bytes.`, "TOO_LONG");
  problems.throwAny();
  checkCalls(members, pointer, problems);
  for (const [index, report] of (members.webhook?.reports ?? []).entries())
    checkReport(report, `${pointer}/webhook/reports/${index}`, problems);
  if (members.webhook) checkDescription(members.webhook, `${pointer}/webhook`, problems);
  checkCommands(members.commands, `${pointer}/commands`, problems);
  const smtp = checkedMailServer(members.smtp, `${pointer}/smtp`, problems);
  checkParameters(members.oauth2?.tokenParameters, `${pointer}/oauth2/tokenParameters`, problems);
  checkParameters(members.oauth2?.authorizationParameters, `${pointer}/oauth2/authorizationParameters`, problems);
  const scheme = members.webhook?.scheme as unknown as GivenScheme | undefined;
  const webhook = scheme && {
    ...withLowerCaseHeaders(members.webhook as WebhookDescription),
    scheme: checkedScheme(scheme, `${pointer}/webhook/scheme`, problems),
  };
  problems.throwAny();
  return { ...members, ...(webhook ? { webhook } : {}), ...(smtp ? { smtp } : {}) };
}

/** A plain copy without the input's null members, which count as absent. */
function withoutNulls(input: ProviderDriverInput): ProviderDriver {
  const text = JSON.stringify(input, (_, value: unknown) => (value === null ? undefined : value));
  return parseForeignJson(text) as ProviderDriver;
}

function checkCalls(driver: ProviderDriver, pointer: string, problems: DriverProblems): void {
  const { probe, apiKey, hmac, headers = {}, idempotencyHeader } = driver;
  if (probe) {
    if (/(^|\/|%2f)(\.|%2e){1,2}(\/|%2f|\?|$)/i.test(probe.path))
      problems.refuse(`${pointer}/probe/path`, "The path must not contain the segments . and ..");
  }
  if (probe?.expect && !probe.expect.value.startsWith("body:/"))
    problems.refuse(`${pointer}/probe/expect/value`, "The value stands in the body: body:<JSON pointer>.");
  if (apiKey?.in === "header") problems.header(`${pointer}/apiKey/name`, apiKey.name);
  if (hmac) {
    problems.header(`${pointer}/hmac/header`, hmac.header);
    problems.header(`${pointer}/hmac/timestampHeader`, hmac.timestampHeader);
  }
  problems.header(`${pointer}/idempotencyHeader`, idempotencyHeader);
  const texts = checkTexts(headers, `${pointer}/headers`, problems);
  for (const [name, value] of texts) {
    const at = `${pointer}/headers/${pointerToken(name)}`;
    problems.header(at, name);
    if (!headerName.test(name) || !headerValue.test(value))
      problems.refuse(at, "A header has a token of HTTP as its name and at most 1000 printable ASCII characters.");
    if (secretHeaders.has(name.toLowerCase()))
      problems.refuse(at, "This header carries a secret. Store the secret as a credential.", "UNKNOWN_VALUE");
  }
}

function checkReport({ when, vendorId, commandId }: VendorReport, pointer: string, problems: DriverProblems): void {
  if (when && !when.value.startsWith("body:/"))
    problems.refuse(`${pointer}/when/value`, "The value stands in the body: body:<JSON pointer>.");
  if (vendorId === undefined && commandId === undefined)
    problems.refuse(pointer, "A report names its command by vendorId or by commandId.");
}

function checkParameters(parameters: object | undefined, pointer: string, problems: DriverProblems): void {
  for (const [name, value] of checkTexts(parameters ?? {}, pointer, problems)) {
    const at = `${pointer}/${pointerToken(name)}`;
    if (!parameterName.test(name) || name === "__proto__" || !parameterValue.test(value))
      problems.refuse(
        at,
        "A name has at most 100 of the characters A-Z a-z 0-9 _ . - and a value 1 to 1000 characters.",
      );
    if (ownParameters.has(name.toLowerCase()))
      problems.refuse(at, "The platform sets this parameter itself.", "UNKNOWN_VALUE");
  }
}

/** The entries that are texts; the others and too many of them are reported. */
function checkTexts(entries: object, pointer: string, problems: DriverProblems): [string, string][] {
  const all = Object.entries(entries as Record<string, unknown>);
  if (all.length > maxEntries) problems.refuse(pointer, `There may be at most ${maxEntries} entries.`, "TOO_LONG");
  for (const [name, value] of all)
    if (typeof value !== "string") problems.refuse(`${pointer}/${pointerToken(name)}`, "Must be a text.", "TYPE");
  return all.filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

/** A description's paths with header names in lower case. */
function withLowerCaseHeaders(webhook: WebhookDescription): WebhookDescription {
  const path = (text: string) =>
    text
      .split(" & ")
      .map((part) => (part.startsWith("header:") ? part.toLowerCase() : part))
      .join(" & ");
  const { deliveryId, eventName, action, actionMark, account, challenge, urlTests } = webhook;
  return {
    ...webhook,
    deliveryId: deliveryId.map(path),
    eventName: eventName.map(path),
    ...(action === undefined ? {} : { action: path(action) }),
    ...(actionMark ? { actionMark: { ...actionMark, when: path(actionMark.when) } } : {}),
    ...(account === undefined ? {} : { account: path(account) }),
    ...(challenge ? { challenge: { ...challenge, when: path(challenge.when), answer: path(challenge.answer) } } : {}),
    ...(urlTests ? { urlTests: urlTests.map((test) => withLowerCaseTest(test, path)) } : {}),
  };
}

const withLowerCaseTest = ({ answer, when, ...test }: UrlTest, path: (text: string) => string): UrlTest => ({
  ...test,
  ...(answer === undefined ? {} : { answer: path(answer) }),
  ...(when === undefined ? {} : { when: path(when) }),
});

/** A driver's URL with the pointer to it. */
interface DriverUrl {
  readonly pointer: string;
  readonly url: string;
}

/** The driver's URLs, which the egress client has to allow. */
export function driverUrls({ oauth2, webhook }: ProviderDriver, pointer: string): DriverUrl[] {
  const urls = {
    "oauth2/tokenUrl": oauth2?.tokenUrl,
    "oauth2/authorizationUrl": oauth2?.authorizationUrl,
    "oauth2/revocationUrl": oauth2?.revocationUrl,
    "webhook/scheme/jwksUrl": webhook?.scheme.kind === "jws" ? webhook.scheme.jwksUrl : undefined,
  };
  return Object.entries(urls).flatMap(([at, url]) => (url === undefined ? [] : [{ pointer: `${pointer}/${at}`, url }]));
}

/** Reports what is wrong with a description of deliveries, beside their scheme and their reports. */
function checkDescription(
  { urlTests = [], batch, events }: WebhookDescription,
  pointer: string,
  problems: DriverProblems,
): void {
  for (const [index, test] of urlTests.entries()) checkUrlTest(test, `${pointer}/urlTests/${index}`, problems);
  if (batch && events !== undefined)
    problems.refuse(`${pointer}/events`, "Either the body is the array of events, or the array stands in it.");
}

function checkUrlTest({ method, answer, member, when, equals }: UrlTest, at: string, problems: DriverProblems): void {
  if ((when === undefined) !== (equals === undefined))
    problems.refuse(`${at}/equals`, "The members when and equals belong together.", "REQUIRED");
  if (member !== undefined && answer === undefined)
    problems.refuse(`${at}/answer`, "A member holds the value of the answer.", "REQUIRED");
  // Without its own value in the query every delivery would be a test.
  if (method === "POST" && !answer?.startsWith("query:"))
    problems.refuse(`${at}/answer`, "A test by POST is told from a delivery by a value of the query.");
}
