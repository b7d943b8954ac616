import { newId } from "@factory/runtime/identifiers/wire-id";
import type { EventType } from "@factory/schema/event-names";
import { anEvent, aPrincipal } from "../../integration.fixture.js";
import { selectsEvent } from "./selects-event.js";

const [receiver, other] = [newId("whs"), newId("whs")];

function selects(subscriptionId: string, type: EventType, data: Record<string, unknown>, subject = "notifications/1") {
  const selection = { subscriptionId, eventType: type, projectId: null, filter: null };
  return selectsEvent(selection, anEvent(aPrincipal(), { type, subject, data }));
}

describe("a webhook subscription", () => {
  it("gets a notification that names it, and none that names another one", () => {
    expect(selects(receiver, "NotificationRequested", { subscriptionId: receiver })).toBe(true);
    expect(selects(other, "NotificationRequested", { subscriptionId: receiver })).toBe(false);
  });

  it("gets a notification that names no webhook subscription", () => {
    for (const data of [{}, { subscriptionId: null }]) expect(selects(other, "NotificationRequested", data)).toBe(true);
  });

  it("gets other events with the id of another webhook subscription, and none about itself", () => {
    expect(selects(other, "WebhookDeliveryFailing", { subscriptionId: receiver })).toBe(true);
    expect(selects(other, "WebhookDeliveryFailing", {}, `webhook-subscriptions/${other}`)).toBe(false);
  });

  it("gets no event that names another project, and every one that names none", () => {
    const projects = [null, "orders", "billing"];
    const selectedProjects = projects.map((projectId) =>
      projects.filter((ofEvent) => {
        const event = anEvent(aPrincipal(), { type: "ConnectionEstablished", projectId: ofEvent });
        return selectsEvent({ subscriptionId: receiver, eventType: event.type, projectId, filter: null }, event);
      }),
    );
    expect(selectedProjects).toEqual([projects, [null, "orders"], [null, "billing"]]);
  });
});
