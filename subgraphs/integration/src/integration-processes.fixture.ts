import type { Principal } from "@factory/runtime/auth/principal";
import { aProcessPlace, SubgraphProcesses } from "@factory/runtime/faults/subgraph-process.fixture";
import { GraphQLError } from "graphql";
import type { Answer } from "./integration.fixture.js";
import type { IntegrationOperations } from "./integration-child.fixture.js";

const program = new URL("../dist/integration-child.fixture.js", import.meta.url);

/** This subgraph in one process after another, over one database. */
export class IntegrationProcesses extends SubgraphProcesses<IntegrationOperations> {
  static async open(): Promise<IntegrationProcesses> {
    return new IntegrationProcesses(await aProcessPlace("integration", program));
  }

  /** Runs a GraphQL operation in the process that was started last. Rejects when that ends before its answer. */
  async run(
    principal: Principal,
    source: string,
    variables: Record<string, unknown> = {},
    key?: string,
  ): Promise<Answer> {
    const { data, errors } = await this.process.call("run", principal, source, variables, key);
    return {
      ...(data !== undefined && { data }),
      ...(errors && { errors: errors.map(({ message, ...more }) => new GraphQLError(message, more as object)) }),
    };
  }

  /** Returns the only field's value, or throws the first error. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async only(...values: Parameters<IntegrationProcesses["run"]>): Promise<any> {
    const { data, errors } = await this.run(...values);
    if (errors?.[0]) throw errors[0];
    return Object.values(data)[0];
  }
}
