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
  ...inFile("test/rest/reports.test.ts", {
    "Reports: GET /reports with report.read": "lists the reports of a new tenant",
    "Report run: the members of the request and of the response; Queued at first":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Report run: the report definition id is given in the path":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Overview: asynchronous operations return a run id that can be matched to resulting events, of reports":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Events: report generation returns a run id that correlates to resulting events":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Report run: format, and from and to as dates in YYYY-MM-DD form":
      "refuses a format, and parameters that break the schema of the report",
    "Authentication 3: attribute-based checks for tenant and resource, of reports":
      "is refused to another tenant, without the scopes of the rows, before its end, and after its expiry",
  }),
  ...inFile("subgraphs/spine/src/reports/reports.test.ts", {
    "States: a report run, new, is Queued; the other states are ours":
      "is Queued, then Completed with its content, and tells of it",
    "Overview: tenant isolation on every request, of report runs": "is not found by another tenant, nor is its content",
  }),
  ...inFile("test/rest/endpoints.test.ts", {
    "Reports: POST /reports/{id}/generate with report.generate": "is open to %s alone",
  }),
];
