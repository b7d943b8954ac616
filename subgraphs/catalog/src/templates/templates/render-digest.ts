import { fingerprint } from "@factory/runtime/idempotency/fingerprint";
import type { TemplateVersion } from "./template-version.entity.js";

type RenderedMembers = Pick<
  TemplateVersion,
  "parameterSchema" | "targetFramework" | "templateIdentity" | "templateLanguage" | "templateType"
>;

/** SHA-256 over everything that determines a version's default render. */
export function renderDigest(version: RenderedMembers, contentDigest: string | null): string {
  const { parameterSchema, targetFramework, templateIdentity, templateLanguage, templateType } = version;
  const members = { contentDigest, parameterSchema, targetFramework, templateIdentity, templateLanguage, templateType };
  return `sha256:${fingerprint(members)}`;
}
