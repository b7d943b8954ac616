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
  readonly revision: number;
}

/**
 * The checks that a version's content has passed, each judged by its newest validation. A validation of an earlier
 * revision is void, even of the same content, since schema and framework may have changed.
 */
export async function passedChecks(
  { execute, tenant }: Transaction,
  { templateVersionId, contentDigest, revision }: ValidatedContent,
): Promise<ReadonlySet<string>> {
  const newest = await execute<CheckRow>(
    `select distinct on (single) single as "check", outcome
     from validation_results result, unnest(result.checks) single
     where tenant_id = $1 and template_version_id = $2 and content_digest = $3 and revision = $4
     order by single, validated_at desc`,
    [tenant.uuid, decodeId("tpv", templateVersionId), contentDigest, revision],
  );
  return new Set(newest.filter(({ outcome }) => outcome !== "Failed").map(({ check }) => check));
}
