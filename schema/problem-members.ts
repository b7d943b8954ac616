/**
 * A problem's members (RFC 9457) beside those that every problem has, and each member's kind of value in all problems.
 * A list is always an array, even with one value.
 */
export const problemMembers = {
  acceptedHash: "text",
  acrValues: "text",
  after: "number",
  allow: "text",
  allowed: "texts",
  budget: "text",
  connections: "number",
  currentState: "text",
  currentVersion: "number",
  cursor: "text",
  definitionHash: "text",
  editionCode: "text",
  expiresAt: "text",
  featureKey: "text",
  hint: "text",
  invitationId: "text",
  limit: "number",
  maxAgeSeconds: "number",
  maxBytes: "number",
  missingChecks: "texts",
  operation: "text",
  overlaps: "objects",
  packageName: "text",
  path: "text",
  paths: "texts",
  reason: "text",
  requiredScopes: "texts",
  resetAt: "text",
  retryAfterSeconds: "number",
  runId: "text",
  supported: "texts",
  supportedVersions: "texts",
  vendorStatus: "number",
  verificationRunId: "text",
  version: "text",
} as const;

export type ProblemMember = keyof typeof problemMembers;

/** Each kind's values. A time becomes a text as JSON. */
export interface ProblemValues {
  readonly text: string | Date | null;
  readonly number: number | null;
  readonly texts: readonly string[];
  readonly objects: readonly object[];
}

export type ProblemFacts = { [Member in ProblemMember]?: ProblemValues[(typeof problemMembers)[Member]] | undefined };
