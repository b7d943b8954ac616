import { Auth } from "@factory/runtime/graphql/auth";
import { Json } from "@factory/runtime/graphql/scalars";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import { Arg, Ctx, ID, Query, Resolver } from "type-graphql";
import type { RunService } from "../../runs/run.service.js";
import type { ModelContents } from "./model-contents.js";

/**
 * The query `modelContent`. It is not a field in a run, because subscribers with different rights share the runs in
 * events.
 */
@Resolver()
export class ModelContentResolver {
  readonly #contents: ModelContents;
  readonly #runs: RunService;

  constructor(contents: ModelContents, runs: RunService) {
    this.#contents = contents;
    this.#runs = runs;
  }

  @Query(() => Json, {
    nullable: true,
    description:
      "The request and the answer of a call of a model, for the principal that has called it, and with the scope audit.read. Null for others, and unless the setting models.contentDays of the tenant keeps them.",
  })
  @Auth({ scopes: ["integration.runs.read"] })
  async modelContent(@Arg("runId", () => ID) runId: string, @Ctx() context: RequestContext): Promise<unknown> {
    const { subject, scopes } = principalOf(context);
    const { requestedBy } = await this.#runs.get(context, runId);
    if (requestedBy !== subject && !scopes.has("audit.read")) return null;
    return (await this.#contents.read(tenantOf(context), runId)) ?? null;
  }
}
