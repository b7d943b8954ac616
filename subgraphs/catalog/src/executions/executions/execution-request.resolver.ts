import { JsonObject } from "@factory/runtime/graphql/scalars";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { ExecutionRequestReader } from "./execution-request-reader.js";
import { ExecutionLibraryType, ExecutionType } from "./record/execution.type.js";

/** Resolves what an execution was asked for. */
@Resolver(() => ExecutionType)
export class ExecutionRequestResolver {
  readonly #requests: ExecutionRequestReader;

  constructor(requests: ExecutionRequestReader) {
    this.#requests = requests;
  }

  @FieldResolver(() => JsonObject, {
    nullable: true,
    description:
      "The parameters of the request, with the defaults of the parameterSchema. Values that the schema marks with writeOnly or with the format password are left out, and null stands for them in a list. Null for a caller without the scope templates.read who has not asked for the execution.",
  })
  async parameters(
    @Root() execution: ExecutionType,
    @Ctx() context: RequestContext,
  ): Promise<Record<string, unknown> | null> {
    return (await this.#requests.shown(context, execution))?.parameters ?? null;
  }

  @FieldResolver(() => [String], {
    nullable: true,
    description:
      "JSON pointers (RFC 6901) to the values that are left out of parameters. The empty pointer says that all are. Null where parameters is null.",
  })
  async withheldParameters(
    @Root() execution: ExecutionType,
    @Ctx() context: RequestContext,
  ): Promise<readonly string[] | null> {
    return (await this.#requests.shown(context, execution))?.withheld ?? null;
  }

  @FieldResolver(() => [ExecutionLibraryType], {
    nullable: true,
    description:
      "The libraries of the request. Null for a caller without the scope templates.read who has not asked for the execution.",
  })
  async libraries(
    @Root() execution: ExecutionType,
    @Ctx() context: RequestContext,
  ): Promise<readonly ExecutionLibraryType[] | null> {
    return (await this.#requests.shown(context, execution))?.libraries ?? null;
  }
}
