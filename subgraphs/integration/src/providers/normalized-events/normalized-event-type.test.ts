import { performance } from "node:perf_hooks";
import { platformEventTypes } from "@factory/schema/event-names";
import { vendorEventTypes } from "@factory/schema/vendor-event-types";
import { eventVerbs } from "./event-verbs.js";
import { normalizedEventType } from "./normalized-event-type.js";
import { vendorEventNames } from "./vendor-event-names.js";

const settings = (names: Record<string, string> = {}) => ({ setting: () => names });
const vendor = (key: string, preset: string | null = null) => ({ key, preset });
const typeOf = (key: string, eventName: string, action?: string) =>
  normalizedEventType(settings(), vendor(key), eventName, action);
const rows = Object.entries(vendorEventNames).flatMap(([key, names]) =>
  Object.entries(names).map(([name, type]) => [key, name, type] as const),
);

it("has a type for the events of twelve vendors, each of which can be subscribed to", () => {
  expect(Object.keys(vendorEventNames)).toHaveLength(12);
  expect(rows.length).toBeGreaterThan(290);
  const eventTypes = new Set<string>(vendorEventTypes);
  for (const [, , type] of rows) {
    expect(type).toMatch(/^([A-Z][a-z0-9]+){2,}$/);
    expect(eventTypes).toContain(Object.hasOwn(platformEventTypes, type) ? `Vendor${type}` : type);
  }
});

it("prefixes the types that the platform itself emits, and only those", () => {
  for (const [key, name, type] of rows) {
    const expectedType = Object.hasOwn(platformEventTypes, type) ? `Vendor${type}` : type;
    expect(typeOf(key, name)).toBe(expectedType);
    expect(typeOf("other-key", name)).not.toBe("");
  }
  expect(typeOf("stripe", "payment_intent.payment_failed")).toBe("VendorPaymentFailed");
  expect(typeOf("acme", "tenant.suspended")).toBe("VendorTenantSuspended");
  expect(typeOf("acme", "user.deleted")).toBe("VendorUserDeleted");
});

it.each([
  ["widget.created", "WidgetCreated"],
  ["order/updated", "OrderUpdated"],
  ["build:completed", "BuildCompleted"],
  ["purchaseOrderApproved", "PurchaseOrderApproved"],
  ["customer.tax_id.deleted", "CustomerTaxIdDeleted"],
  ["WIDGET-CREATED", "WidgetCreated"],
  ["pingpong", "VendorEventReceived"],
  ["created", "VendorEventReceived"],
  ["événement.created", "VendorEventReceived"],
  ["a.created", "VendorEventReceived"],
  ["2fa.created", "VendorEventReceived"],
  ["widget.constructor", "VendorEventReceived"],
  ["widget.__proto__", "VendorEventReceived"],
  ["__proto__", "VendorEventReceived"],
  ["", "VendorEventReceived"],
  [".", "VendorEventReceived"],
  ["vendor.event.received", "VendorEventReceived"],
])("makes a type of the words of %s", (name, type) => {
  expect(typeOf("acme", name)).toBe(type);
});

it("takes the action as a part of the name, and never the name alone", () => {
  expect(typeOf("github", "pull_request", "opened")).toBe("PullRequestOpened");
  expect(typeOf("github", "pull_request", "closed(merged)")).toBe("PullRequestMerged");
  expect(typeOf("github", "pull_request", "labeled")).toBe("PullRequestLabeled");
  expect(typeOf("github", "push", "unknown")).toBe("VendorEventReceived");
  expect(typeOf("acme", "release.published", "deleted")).toBe("VendorEventReceived");
  expect(typeOf("acme", "order.created", "create")).toBe("OrderCreated");
  expect(typeOf("acme", "review", "ready_for_review")).toBe("ReviewReadyForReview");
  expect(typeOf("acme", "build", "in_progress")).toBe("BuildStarted");
  expect(typeOf("acme", "widget", "created")).toBe("WidgetCreated");
  expect(typeOf("acme", "widget.created", "created")).toBe("WidgetCreated");
  expect(typeOf("github", "pull_request.opened", "opened")).toBe("PullRequestOpened");
});

it("takes the table of the preset, and that of the key", () => {
  expect(normalizedEventType(settings(), vendor("our-git", "github"), "push", undefined)).toBe("CommitsPushed");
  expect(normalizedEventType(settings(), vendor("shopify", "webhook"), "orders/paid", undefined)).toBe("OrderPaid");
  expect(typeOf("constructor", "push")).toBe("VendorEventReceived");
});

it("takes the tenant's own names first", () => {
  const ownNames = settings({
    "github/push": "CodeArrived",
    "github/pull_request.opened": "UserInvited",
    "x/y": "no name",
  });
  const typeFor = (name: string, action?: string) => normalizedEventType(ownNames, vendor("github"), name, action);
  expect(typeFor("push")).toBe("CodeArrived");
  expect(typeFor("pull_request", "opened")).toBe("VendorUserInvited");
  expect(typeFor("pull_request", "closed")).toBe("PullRequestClosed");
  expect(normalizedEventType(ownNames, vendor("x"), "y", undefined)).toBe("VendorEventReceived");
  expect(normalizedEventType(ownNames, vendor("gitlab"), "push", undefined)).toBe("VendorEventReceived");
});

it("gives a tenant's name for an event to its other actions, unless they say something else", () => {
  const ownNames = settings({
    "acme/release": "ReleasePublished",
    "acme/issue": "TaskChanged",
    "acme/code": "CodeArrived",
  });
  const typeFor = (name: string, action?: string) => normalizedEventType(ownNames, vendor("acme"), name, action);
  expect(
    [undefined, "published", "edited", "deleted", "frobnicated"].map((action) => typeFor("release", action)),
  ).toEqual(["ReleasePublished", "ReleasePublished", "ReleaseUpdated", "ReleaseDeleted", "VendorEventReceived"]);
  expect(["labeled", "frobnicated", "deleted"].map((action) => typeFor("issue", action))).toEqual([
    "TaskChanged",
    "TaskChanged",
    "IssueDeleted",
  ]);
  expect(["sent", "deleted"].map((action) => typeFor("code", action))).toEqual(["CodeArrived", "CodeDeleted"]);
});

it("answers hostile names in bounded time", () => {
  const parts = ["a", "A", ".", "aA", "\ud800", "\u0130", "_-", "\u0000", "💥"];
  const startTime = performance.now();
  for (const part of parts)
    for (const length of [200, 100_000]) {
      const name = part.repeat(length);
      for (const text of [name, `${name}.created`, `${name}.${Object.keys(eventVerbs)[0]}`])
        expect(typeOf("acme", text, name)).toMatch(/^([A-Z][a-z0-9]+){2,}$/);
    }
  expect(performance.now() - startTime).toBeLessThan(20_000);
});
