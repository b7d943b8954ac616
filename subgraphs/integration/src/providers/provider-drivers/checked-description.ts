import { timeFormats } from "../inbound-signatures/signature-scheme.js";
import type { DriverProblems } from "./driver-problems.js";
import { type UrlTest, urlTestMethods, type WebhookDescription } from "./provider-driver.js";

/** Reports what is wrong with the description of deliveries, beside their scheme and their reports. */
export function checkDescription(
  { urlTests = [], signedTime, batch, events }: WebhookDescription,
  pointer: string,
  problems: DriverProblems,
): void {
  for (const [index, test] of urlTests.entries()) checkUrlTest(test, `${pointer}/urlTests/${index}`, problems);
  if (signedTime?.format !== undefined) problems.oneOf(`${pointer}/signedTime/format`, signedTime.format, timeFormats);
  if (batch && events !== undefined)
    problems.refuse(`${pointer}/events`, "Either the body is the array of events, or the array stands in it.");
}

function checkUrlTest({ method, answer, member, when, equals }: UrlTest, at: string, problems: DriverProblems): void {
  problems.oneOf(`${at}/method`, method, urlTestMethods);
  if ((when === undefined) !== (equals === undefined))
    problems.refuse(`${at}/equals`, "The members when and equals belong together.", "REQUIRED");
  if (member !== undefined && answer === undefined)
    problems.refuse(`${at}/answer`, "A member holds the value of the answer.", "REQUIRED");
  // Without a value of its own in the query every delivery would be a test.
  if (method === "POST" && !answer?.startsWith("query:"))
    problems.refuse(`${at}/answer`, "A test by POST is told from a delivery by a value of the query.");
}
