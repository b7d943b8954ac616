import { randomBytes } from "node:crypto";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "./database.js";

/** A failed job whose queue has no rows of its own. */
export async function aFailedJob(schema: "catalog" | "spine", queue: string, tenantId: string) {
  const data = {
    tenantId,
    invitationId: newId("inv"),
    command: { id: newId("cmd"), tenantid: tenantId, actorid: newId("cli"), type: "ImportLibraryPackage" },
    input: { sourceRef: "nuget:none" },
  };
  const [job] = await rows<{ id: string }>(
    `insert into ${schema}_jobs.job (name, data, state, group_id, singleton_key, retry_limit, output, completed_on, dead_letter)
     values ($1, $2, 'failed', $3, $4, 1, '{"message": "refused"}', now(), $5) returning id`,
    [queue, data, tenantId, randomBytes(6).toString("hex"), `${queue}.dead`],
  );
  return { jobId: job?.id ?? "" };
}
