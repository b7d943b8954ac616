import { boundaries, connectives, decisions, equalities, extremes, noRefusal, verdicts } from "./edits.js";
import type { Rule } from "./fault.js";

/** Rules about changes, their events and their order. */
export const messageRules: readonly Rule[] = [
  {
    rule: "replay of an Idempotency-Key",
    files: /^subgraphs\/runtime\/src\/idempotency\/idempotent-mutation\.ts$/,
    edits: decisions,
  },
  {
    rule: "If-Match precondition",
    files: /^subgraphs\/runtime\/src\/input-validation\/preconditions\.ts$/,
    edits: decisions,
  },
  {
    rule: "state of a transition",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/.*(statement|service|claim)\.ts$/,
    edits: [{ pattern: / and status = '\w+'/g, replace: "" }],
  },
  {
    rule: "schedule of retries",
    files:
      /^subgraphs\/integration\/src\/(webhooks\/webhook-dispatch\/retry-schedule|connections\/vendor-calls\/call-retry)\.ts$/,
    edits: [...boundaries, ...extremes, ...equalities, { pattern: /\b5 \* minute\b/g, replace: "6 * minute" }],
  },
  {
    rule: "order of messages",
    files:
      /^subgraphs\/(runtime\/src\/(bus|outbox)|integration\/src\/(webhooks\/webhook-dispatch|events\/event-pulls|events\/event-log))\//,
    edits: [{ pattern: /\border by ((?:\w+\.)?(?:sequence|position|seq))\b(?! desc)/g, replace: "order by $1 desc" }],
  },
  {
    rule: "dead letter",
    files:
      /^subgraphs\/(runtime\/src\/bus\/(dead-letters|held-messages)|integration\/src\/deliveries\/delivery-handling\/delivery-batch)\.ts$/,
    edits: [...equalities, ...connectives, ...boundaries, ...noRefusal],
  },
  {
    rule: "event in the transaction of a change",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/.*\.ts$/,
    edits: [
      {
        pattern: /^( +)((?:transaction\.)?record\(\{ type: "\w+", .*\}\);)$/gm,
        replace: "$1if (Date.now() < 0) $2",
      },
    ],
  },
  {
    rule: "record of the audit log",
    files:
      /^subgraphs\/runtime\/src\/(messages\/create-audit-record|audit\/refusal-\w+|idempotency\/idempotent-mutation)\.ts$/,
    edits: [...equalities, ...connectives],
  },
  {
    rule: "preference of notifications",
    files: /^subgraphs\/spine\/src\/notifications\/notifications\/preferences\/[\w-]+\.ts$/,
    edits: decisions,
  },
  {
    rule: "schema of an event",
    files: /^schema\/events\/\w+\.schema\.json$/,
    edits: [{ pattern: /"required": \["\w+", /g, replace: '"required": ["neverSent", ' }],
  },
  {
    rule: "OpenAPI document",
    files: /^rest-facade\/src\/openapi\/(openapi|response-schema|endpoint-table)\.ts$/,
    edits: [...equalities, ...connectives, ...verdicts],
  },
];
