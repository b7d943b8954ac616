import type { Scope } from "@factory/schema/scopes";

/** The facts about a report that every tenant has. Its rows come from the source with the same code. */
interface KnownReport {
  readonly name: string;
  readonly description: string;
  /** The scopes that the content's reader needs, all together, beside the one that opens report runs. */
  readonly contentScopes: readonly Scope[];
}

/** The reports in this release by their code. A tenant has one definition for each. */
export const knownReports = {
  "usage-summary": {
    name: "Usage summary",
    description:
      "The metered features that the tenant has used, and its audited operations by day, subgraph and name, as far as they have reached the spine.",
    contentScopes: [],
  },
  "audit-log": {
    name: "Audit log",
    description: "The records of the audit log in the order of their time: who did what, on which subject, from where.",
    contentScopes: ["audit.read"],
  },
  "user-activity": {
    name: "User activity",
    description: "The users of the tenant with their sign-ins, operations and refusals in the period.",
    contentScopes: ["user.read"],
  },
} as const satisfies Record<string, KnownReport>;

/** A report's code in this release, for example `audit-log`. */
export type ReportCode = keyof typeof knownReports;

/** The scopes that a report's content takes; none for a report that a later release has dropped. */
export const contentScopesOf = (code: string): readonly Scope[] =>
  isKnownReport(code) ? knownReports[code].contentScopes : [];

/** Whether this release can make the report. */
export const isKnownReport = (code: string): code is ReportCode => Object.hasOwn(knownReports, code);
