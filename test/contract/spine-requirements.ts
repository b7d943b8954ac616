import { inFile, type Requirement } from "./requirement.js";

/** Requirements of specification 002 (the spine). Questions that it leaves open ("not shown") are decided in `schema/DECISIONS.md`. */
export const spineRequirements: readonly Requirement[] = [
  ...inFile("test/rest/notifications.test.ts", {
    "Notifications: POST /notifications with notification.send": "sends a notification to a person, who reads it",
    "Notifications: GET /notifications with notification.read": "lists by state, channel, recipient and read mark",
    "Notifications: asynchronous operations return an id that correlates to resulting events":
      "returns ids by which the events are found",
    "Notifications: pagination follows shared conventions": "is read in pages",
    "Notifications: tenant isolation on every request": "shows nothing to another tenant",
  }),
  ...inFile("subgraphs/spine/src/notifications/notification.resolver.test.ts", {
    "Authentication 3: attribute-based checks for resource constraints, of notifications":
      "shows a person the own notifications only",
  }),
];
