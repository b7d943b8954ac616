import { join } from "node:path";
import type { BoundedClient } from "@factory/runtime/clients/bounded-client";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RepositoryPlace } from "../port/repository-store.js";
import type { Repository } from "../rows/repository.entity.js";
import { isRepository } from "./bare-repository.js";

/** A repository that has taken a push. */
interface PushedRepository extends RepositoryPlace {
  /** Whether the folder has it. */
  readonly isPresent: boolean;
}

type Row = RowOf<Repository, "repositoryId" | "tenantId" | "owner" | "name">;

const pageSize = 1000;
/** A page of the repositories with commits. The parameters are: the id after which it begins, and its size. */
const repositoriesWithCommits = `select repository_id, tenant_id, owner, name from catalog.repositories
  where bytes > 0 and repository_id > $1::uuid order by repository_id limit $2`;

/** Looks in REPOSITORIES_DIR for each repository that has commits. The client must see all tenants' rows. */
export async function* pushedRepositories(
  client: Pick<BoundedClient, "query">,
  root: string,
): AsyncGenerator<PushedRepository, void> {
  for (let after = nilUuid; ; ) {
    const { rows } = await client.query<Row>(repositoriesWithCommits, [after, pageSize]);
    for (const { tenant_id, owner, name } of rows) {
      const tenantId = encodeId("ten", tenant_id);
      yield { tenantId, owner, name, isPresent: await isRepository(join(root, tenantId, owner, `${name}.git`)) };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.repository_id;
  }
}
