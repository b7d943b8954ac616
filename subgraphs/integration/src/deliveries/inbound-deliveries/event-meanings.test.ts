import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { documentedEvents } from "../../providers/normalized-events/documented-events.fixture.js";
import { eventVerbs } from "../../providers/normalized-events/event-verbs.js";
import { githubMeanings } from "../../providers/normalized-events/github-meanings.fixture.js";
import { normalizedEventType } from "../../providers/normalized-events/normalized-event-type.js";
import { unnamedEvent, vendorEventNames } from "../../providers/normalized-events/vendor-event-names.js";
import { presetOf } from "../../providers/providers/provider-presets.js";
import { readDelivery } from "../arrived-deliveries/delivery-facts.js";

interface Published {
  readonly name: string;
  readonly examples: readonly object[];
}

const publishedExamples = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve("@octokit/webhooks-examples/api.github.com/index.json")), "utf8"),
) as readonly Published[];

const eventHeaders: Readonly<Record<string, string>> = { github: "x-github-event", gitlab: "x-gitlab-event" };
const none = { setting: () => ({}) };

/** An event's name and type as the vendor's delivery has it, in its own form or in the specification's. */
function meaning(preset: string, event: string, body: object, form: "Vendor" | "Specified" = "Vendor") {
  const isForm = preset === "twilio";
  const header = eventHeaders[preset];
  const headers = new Map([
    ["content-type", [isForm ? "application/x-www-form-urlencoded" : "application/json"]],
    ...(header ? [[header, [event]] as const] : []),
  ]);
  const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
  const specifiedText = JSON.stringify({ providerDeliveryId: "d", eventName: event, payload: body });
  const result = readDelivery(
    {
      ...{ form, providerKey: preset, hint: undefined, address: "192.0.2.1", trace: continueTrace(undefined) },
      message: {
        headers,
        body: Buffer.from(form === "Vendor" ? text : specifiedText),
        url: "https://platform.example/",
      },
    },
    { preset, providerKey: preset, driver: presetOf({ preset, key: preset })?.driver ?? {} },
  );
  const [firstEvent] = "events" in result ? result.events : [];
  if (!firstEvent) throw new Error(`The delivery ${event} has no event.`);
  const { eventName, named } = firstEvent;
  return { eventName, type: normalizedEventType(none, { key: preset, preset }, named.event, named.action) };
}

describe("the type of a vendor's event", () => {
  it("says what happened in each published example of GitHub", () => {
    const meanings = publishedExamples.flatMap(({ name, examples }) =>
      examples.map((body) => meaning("github", name, body)),
    );
    expect(meanings.length).toBeGreaterThan(300);
    const types = Object.fromEntries(meanings.map(({ eventName, type }) => [eventName, type]));
    expect(types).toEqual(githubMeanings);
  });

  it("is the same in the form of the specification", () => {
    for (const { name, examples } of publishedExamples)
      for (const body of examples)
        expect(meaning("github", name, body, "Specified").type).toBe(meaning("github", name, body).type);
    for (const [preset, event, body, type] of documentedEvents)
      if (preset === "gitlab") expect([event, meaning(preset, event, body, "Specified").type]).toEqual([event, type]);
    const withoutCapture = { data: { object: { captured: false } } };
    expect(meaning("stripe", "charge.succeeded", withoutCapture, "Specified").type).toBe("VendorEventReceived");
  });

  it.each(documentedEvents)("of %s, with %s %j, is %s", (preset, event, body, type) => {
    expect(meaning(preset, event, body).type).toBe(type);
  });

  it("of a merged pull request is the same where the name has the action already", () => {
    const body = { action: "closed", pull_request: { merged: true } };
    expect(meaning("github", "pull_request", body).type).toBe("PullRequestMerged");
    expect(meaning("github", "pull_request.closed", body, "Specified").type).toBe("PullRequestMerged");
  });

  it("is never that of another action, whatever action the vendor sends", () => {
    const actions = ["frobnicated", "deleted", "edited", "removed", "(deleted)", "closed(deleted)", "unlocked"];
    for (const [key, names] of Object.entries(vendorEventNames))
      for (const name of Object.keys(names)) {
        const dot = name.indexOf(".");
        for (const event of new Set([name, dot < 0 ? name : name.slice(0, dot)]))
          for (const action of actions) {
            const type = normalizedEventType(none, { key, preset: key }, event, action);
            const isSaid = eventVerbs[event.split(/[._/ ]/).at(-1) ?? ""] === eventVerbs[action];
            const listedType =
              names[`${event}.${action}`] ?? (isSaid && action in eventVerbs ? names[event] : undefined);
            const verb = eventVerbs[action];
            const expectedType = verb && type.endsWith(verb) ? type : unnamedEvent;
            expect([event, action, type]).toEqual([
              event,
              action,
              listedType ? expect.stringContaining(listedType) : expectedType,
            ]);
          }
      }
  });
});
