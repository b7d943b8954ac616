import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

// tables: validation_results

interface CheckRow extends Record<string, unknown> {
  check: string;
  outcome: string;
}

interface ValidatedContent {
  readonly templateVersionId: string;
  readonly contentDigest: string | null;
}

/** The checks that the content of a version has passed, each judged by its newest validation. */
export async function passedChecks(
  { execute, tenant }: Transaction,
  { templateVersionId, contentDigest }: ValidatedContent,
): Promise<ReadonlySet<string>> {
  const newest = await execute<CheckRow>(
    `select distinct on (single) single as "check", outcome
     from validation_results result, unnest(result.checks) single
     where tenant_id = $1 and template_version_id = $2 and content_digest = $3
     order by single, validated_at desc`,
    [tenant.uuid, decodeId("tpv", templateVersionId), contentDigest],
  );
  return new Set(newest.filter(({ outcome }) => outcome !== "Failed").map(({ check }) => check));
}
