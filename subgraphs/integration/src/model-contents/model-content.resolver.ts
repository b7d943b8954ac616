import { Auth } from "@factory/runtime/graphql/auth";
import { Json } from "@factory/runtime/graphql/scalars";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { RunType } from "../runs/run.type.js";
import type { RunRecord } from "../runs/run-record.js";
import type { ModelContents } from "./model-contents.js";

/** The field `content` of a run. */
@Resolver(() => RunType)
export class ModelContentResolver {
  readonly #contents: ModelContents;

  constructor(contents: ModelContents) {
    this.#contents = contents;
  }

  @FieldResolver(() => Json, {
    nullable: true,
    description:
      "The request and the answer of a call of a model, for the principal that has called it, and with the scope audit.read. Null unless the setting models.contentDays of the tenant keeps them.",
  })
  @Auth({ scopes: ["integration.runs.read"] })
  async content(@Root() run: RunType, @Ctx() context: RequestContext): Promise<unknown> {
    const { subject, scopes } = principalOf(context);
    const { requestedBy } = run as unknown as RunRecord;
    if (requestedBy !== subject && !scopes.has("audit.read")) return null;
    return (await this.#contents.read(tenantOf(context), run.runId)) ?? null;
  }
}
