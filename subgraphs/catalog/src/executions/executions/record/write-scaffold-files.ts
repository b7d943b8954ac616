import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ScaffoldFileType } from "./scaffold-file.type.js";

/** Inserts all files in a scaffold output by one statement, in the transaction that completes the execution. */
export async function writeScaffoldFiles(
  { execute, tenant }: Transaction,
  scaffoldOutputId: string,
  files: readonly ScaffoldFileType[],
): Promise<void> {
  await execute(
    `insert into scaffold_files (tenant_id, scaffold_output_id, path, change, executable, size, blob_sha)
     select $1, $2, path, change, executable, size, "blobSha"
     from jsonb_to_recordset($3::jsonb) as file(path text, change text, executable boolean, size integer, "blobSha" text)`,
    [tenant.uuid, decodeId("sca", scaffoldOutputId), JSON.stringify(files)],
  );
}
