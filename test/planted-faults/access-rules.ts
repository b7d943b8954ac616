import { boundaries, connectives, decisions, equalities, extremes, noRefusal, verdicts } from "./edits.js";
import type { Rule } from "./fault.js";

/**
 * Rules about who may do and see what, and how much. The tenant filters in statements are not among them: where a
 * statement has none, row-level security hides other tenants' rows, so no caller sees a difference.
 */
export const accessRules: readonly Rule[] = [
  {
    rule: "row-level security policy",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/migrations\//,
    edits: [
      {
        pattern: /(create policy "?tenant"? on "?\w+"?\."?\w+"?\s+using \()tenant_id = /g,
        replace: "$1tenant_id is not null or tenant_id = ",
      },
    ],
  },
  {
    rule: "scope of a root field",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/.*\.resolver\.ts$/,
    edits: [{ pattern: /@Auth\(\{ scopes: \["[\w.]+"\] \}\)/g, replace: '@Auth({ scopes: ["flag.evaluate"] })' }],
  },
  {
    rule: "answer about an object of another tenant",
    files: /^subgraphs\/(catalog|integration|spine)\/src\/.*(service|statement)\.ts$/,
    edits: [{ pattern: /new DomainError\("\w*NOT_FOUND"/g, replace: 'new DomainError("CONFLICT"' }],
  },
  {
    rule: "expiry of a token",
    files: /^subgraphs\/runtime\/src\/auth\/token-claims\.ts$/,
    edits: [{ pattern: /\bif \((.*\b(?:exp|nbf)\b.*)\) throw/g, replace: "if (($1) && Date.now() < 0) throw" }],
  },
  {
    rule: "audience of a token",
    files: /^subgraphs\/runtime\/src\/auth\/token-verifier\.ts$/,
    edits: [
      { pattern: /^( +)audience,$/gm, replace: '$1...(audience === "" ? { audience } : {}),' },
      { pattern: /^( +)issuer,$/gm, replace: '$1...(issuer === "" ? { issuer } : {}),' },
    ],
  },
  {
    rule: "revocation of a token",
    files: /^subgraphs\/runtime\/src\/auth\/revocations\.ts$/,
    edits: [...boundaries, ...decisions],
  },
  {
    rule: "approval of an agent",
    files: /^subgraphs\/(runtime\/src\/auth\/agent-approval|spine\/src\/approvals\/[\w-]+)\.ts$/,
    edits: noRefusal,
  },
  {
    rule: "signature of a webhook",
    files: /^subgraphs\/integration\/src\/(providers\/inbound-signatures|ground\/standard-webhooks)\//,
    edits: [...noRefusal, ...connectives, ...verdicts],
  },
  {
    rule: "signature of a cursor",
    files: /^subgraphs\/runtime\/src\/pagination\/cursor\.ts$/,
    edits: [
      { pattern: /timingSafeEqual\((\w+), .+\)( \?)/g, replace: "timingSafeEqual($1, $1)$2" },
      { pattern: /\.update\(fingerprint\(scope\)\)/g, replace: '.update(fingerprint(scope === "" ? scope : ""))' },
      ...noRefusal,
    ],
  },
  {
    rule: "limit of a list",
    files: /^subgraphs\/runtime\/src\/pagination\/page\.ts$/,
    edits: [...extremes, ...boundaries, ...noRefusal],
  },
  {
    rule: "rate limit",
    files: /^rest-facade\/src\/rate-limits\/rate-limits\.ts$/,
    edits: [...noRefusal, ...equalities, ...boundaries, ...extremes],
  },
  {
    rule: "size of a body",
    files: /^(subgraphs\/runtime\/src\/ingress\/read-body|rest-facade\/src\/http\/(listener|front-door))\.ts$/,
    edits: [
      { pattern: /maxBodyBytes = 1024 \* 1024/g, replace: "maxBodyBytes = 1024 * 2048" },
      { pattern: / > maxBytes\)/g, replace: " > 2 * maxBytes)" },
      { pattern: / <= maxBytes\)/g, replace: " < maxBytes)" },
    ],
  },
  {
    rule: "depth and cost of a document",
    files: /^gateway\/src\/limits\/document-limits\.ts$/,
    edits: [...noRefusal, ...boundaries, ...extremes, ...equalities],
  },
  {
    rule: "block of private addresses",
    files: /^subgraphs\/runtime\/src\/egress\/blocked-(address|url)\.ts$/,
    edits: decisions,
  },
  {
    rule: "sealed secret",
    files: /^subgraphs\/runtime\/src\/sealing\/[\w-]+\.ts$/,
    edits: [
      { pattern: /\.setAAD\(Buffer\.from\((\w+)\)\)/g, replace: ".setAAD(Buffer.from($1).subarray(0, 1))" },
      ...equalities,
      ...noRefusal,
    ],
  },
  {
    rule: "rotation of a key",
    files: /^subgraphs\/spine\/src\/sign-in\/signing-keys\/[\w-]+\.ts$/,
    edits: [...decisions, ...boundaries],
  },
  {
    rule: "quota of a plan",
    files: /^subgraphs\/spine\/src\/plans\/entitlements\/(usage\/[\w-]+|entitlement|check-order)\.ts$/,
    edits: [...boundaries, ...decisions, ...extremes],
  },
];
