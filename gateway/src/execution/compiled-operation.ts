import { createHash } from "node:crypto";
import type { QueryPlan } from "@apollo/query-planner";
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from "graphql";
import { conditionKey } from "../query-planner/conditions.js";
import type { LiftedLiterals } from "../query-planner/lifted-literals.js";
import type { Fields } from "../query-planner/own-property.js";
import type { PlannedNames } from "../query-planner/planning-names.js";
import type { Fragments } from "../query-planner/selection.js";
import { noteErrors } from "./answer-errors.js";
import { failedFetch } from "./downstream-error.js";
import {
  type Abortable,
  compileRootAnswer,
  type PlanTools,
  prepareFetch,
  type Run,
  type Step,
  variablePicker,
} from "./fetch-step.js";
import { GroupAnswers } from "./group-answers.js";
import { introspect } from "./introspection.js";
import { ownVariables } from "./own-variables.js";
import { isPassThrough, onlyFetch } from "./pass-through.js";
import { plainVariables } from "./plain-variables.js";
import { compilePlan } from "./plan-step.js";
import { compileProjection, type Projection } from "./projection.js";
import { representationKey } from "./representation.js";
import { isEvents, ResponseStream } from "./response-stream.js";
import { type UnservedField, unservedErrors, unservedFields } from "./unserved-fields.js";

interface SubscribeOptions<C> {
  /** Makes a context for each event. Otherwise the first context's data loaders would serve every event. */
  readonly contextForEvent?: () => C;
  /**
   * Identifies everything that resolvers read in the contexts from `contextForEvent`. When a subgraph hands the same
   * event object to several subscribers, those with equal group, operation and variables share one answer.
   */
  readonly group?: string;
}

/** A planned operation, ready to run many times. Invalid client input never makes a returned promise reject. */
export interface CompiledOperation<C> {
  readonly kind: "query" | "mutation" | "subscription";
  readonly plan: QueryPlan;
  /** An aborted `signal` stops a query before its next fetch. It does not stop a mutation. */
  execute(variables: Record<string, unknown> | undefined, context: C, signal?: Abortable): Promise<ExecutionResult>;
  subscribe(
    variables: Record<string, unknown> | undefined,
    context: C,
    options?: SubscribeOptions<C>,
  ): Promise<ResponseStream | ExecutionResult>;
}

interface OperationSource<C> extends PlanTools<C> {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly names: PlannedNames;
  readonly literals: LiftedLiterals;
  readonly conditions: readonly string[];
  readonly plan: QueryPlan;
}

/** The projection cache's maximum size. A client could ask for every combination of @skip and @include values. */
export const maxProjections = 16;
// graphql-js reports at most this many variable errors to a client.
const maxVariableErrors = 50;

export function compileOperation<C>(source: OperationSource<C>): CompiledOperation<C> {
  const { node } = source.plan;
  const rootType = source.schema.getRootType(source.operation.operation);
  if (!rootType) {
    throw new GraphQLError(`The schema has no ${source.operation.operation} type`);
  }
  const responder = new Responder(source, rootType);
  if (node?.kind === "Subscription") {
    return new PlannedSubscription(source, responder);
  }
  const step = node && compilePlan(node, [], source);
  const kind = source.operation.operation;
  return {
    kind,
    plan: source.plan,
    execute: (variables, context, signal) =>
      responder.respond(responder.start(variables, context, kind === "query" ? signal : undefined), step),
    async subscribe() {
      return { errors: [new GraphQLError(`A ${source.operation.operation} cannot be subscribed to`)] };
    },
  };
}

class PlannedSubscription<C> implements CompiledOperation<C> {
  readonly kind = "subscription";
  readonly plan: QueryPlan;
  readonly #responder: Responder<C>;
  readonly #open: (run: Run<C>) => Promise<AsyncIterable<unknown> | ExecutionResult>;
  readonly #answer: (run: Run<C>, event: unknown) => Promise<ExecutionResult> | ExecutionResult;
  readonly #shared = new GroupAnswers<ExecutionResult>();
  readonly #receive: (run: Run<C>, event: ExecutionResult) => void;
  readonly #rest: Step<C> | undefined;
  readonly #subgraph: string;

  constructor(source: OperationSource<C>, responder: Responder<C>) {
    const { node } = source.plan;
    if (node?.kind !== "Subscription") {
      throw new Error("The plan is not the plan of a subscription");
    }
    this.plan = source.plan;
    this.#responder = responder;
    this.#subgraph = node.primary.serviceName;
    const preparedFetch = prepareFetch(node.primary, source);
    const variablesOf = variablePicker(node.primary.variableUsages);
    this.#open = async (run) => {
      if (!preparedFetch.subscribe) {
        throw new GraphQLError(`Subgraph "${this.#subgraph}" offers no subscriptions`);
      }
      return preparedFetch.subscribe(variablesOf(run.provided), run.context);
    };
    this.#answer = (run, event) => {
      if (!preparedFetch.answer) {
        throw new GraphQLError(`Subgraph "${this.#subgraph}" did not answer with a stream of events`);
      }
      return preparedFetch.answer(event, variablesOf(run.provided), run.context);
    };
    this.#receive = compileRootAnswer(node.primary, source.supergraphSchema);
    this.#rest = node.rest && compilePlan(node.rest, [], source);
  }

  async execute(): Promise<ExecutionResult> {
    return {
      errors: [
        new GraphQLError(
          "A subscription needs a stream. Send the header Accept: text/event-stream, or open a websocket with the protocol graphql-transport-ws to the same address.",
        ),
      ],
    };
  }

  async subscribe(
    variables: Record<string, unknown> | undefined,
    context: C,
    options: SubscribeOptions<C> = {},
  ): Promise<ResponseStream | ExecutionResult> {
    const first = this.#responder.start(variables, context);
    if (first.errors.length > 0) {
      return { errors: first.errors };
    }
    let events: AsyncIterable<unknown> | ExecutionResult;
    try {
      events = await this.#open(first);
    } catch (reason) {
      return { errors: [failedFetch(reason, this.#subgraph)] };
    }
    if (!isEvents(events)) {
      noteErrors(first, events, this.#subgraph, (path) => [path]);
      return { errors: first.errors };
    }
    const group = sharingGroup(options.group, first.provided);
    return new ResponseStream(events, {
      broken: (reason) => failedFetch(reason, this.#subgraph),
      respond: (event) =>
        this.#shared.get(event, group, () =>
          this.#respond(event, { ...first, context: options.contextForEvent?.() ?? context }),
        ),
    });
  }

  /** The answer may go to many subscribers, so it is frozen. */
  async #respond(event: unknown, subscription: Run<C>): Promise<ExecutionResult> {
    const run: Run<C> = { ...subscription, errors: [], data: undefined, extensions: undefined };
    const answer = await this.#responder.respond(run, async (eventRun) => {
      this.#receive(eventRun, await this.#answer(eventRun, event));
      await this.#rest?.(eventRun);
    });
    return Object.freeze(answer);
  }
}

/** A shared answer's key, undefined without sharing. It is a short digest, because each event is looked up by it. */
function sharingGroup(group: string | undefined, variables: Readonly<Fields>): string | undefined {
  const key = group === undefined ? undefined : representationKey(variables);
  return key === undefined ? undefined : createHash("sha256").update(`${group}\n${key}`).digest("base64");
}

/** Starts one operation's runs and builds the response from the data that the fetches gathered. */
class Responder<C> {
  readonly #source: OperationSource<C>;
  readonly #rootType: GraphQLObjectType;
  readonly #projections = new Map<string, Projection>();
  readonly #passThrough: boolean;
  readonly #unserved: readonly UnservedField[];
  readonly #plainVariables: ReturnType<typeof plainVariables>;
  readonly #ownVariables: ReturnType<typeof ownVariables>;

  constructor(source: OperationSource<C>, rootType: GraphQLObjectType) {
    this.#source = source;
    this.#rootType = rootType;
    this.#plainVariables = plainVariables(source.operation.variableDefinitions ?? []);
    this.#ownVariables = ownVariables(source.schema, source.operation.variableDefinitions);
    this.#unserved = unservedFields(source, source.operation.selectionSet);
    const fetch = onlyFetch(source.plan);
    this.#passThrough =
      fetch !== undefined &&
      source.subgraphs.get(fetch.serviceName)?.conforms === true &&
      source.conditions.length === 0 &&
      isPassThrough(fetch, { ...source, rootType, selectionSet: source.operation.selectionSet });
  }

  /** Starts a run. A run that already has errors must not fetch, because its variables do not fit the operation. */
  start(variables: Record<string, unknown> | undefined, context: C, signal?: Abortable): Run<C> {
    const { schema, operation } = this.#source;
    const values = variables ?? {};
    const definitions = operation.variableDefinitions;
    const { clientKeys } = this.#source.names;
    const plain = this.#plainVariables?.(values);
    const providedValues = plain ? values : this.#ownVariables(values);
    const run = { provided: providedValues, context, signal, clientKeys, data: undefined, extensions: undefined };
    const { coerced, errors } =
      plain || !definitions
        ? { coerced: plain ?? {}, errors: [] }
        : getVariableValues(schema, definitions, providedValues, { maxErrors: maxVariableErrors });
    if (!coerced) {
      return { ...run, coerced: {}, errors: [...(errors ?? [])] };
    }
    return { ...run, provided: this.#source.literals.variables(providedValues, coerced), coerced, errors: [] };
  }

  async respond(run: Run<C>, gather: Step<C> | undefined): Promise<ExecutionResult> {
    if (run.errors.length > 0) {
      return { errors: run.errors };
    }
    try {
      const pending = gather?.(run);
      if (pending) {
        await pending;
      }
      return this.#response(run);
    } catch (reason) {
      const originalError = reason instanceof Error ? reason : new Error(String(reason));
      return {
        errors: [new GraphQLError("Unexpected error", { originalError, extensions: { code: "INTERNAL" } })],
        data: null,
      };
    }
  }

  #response(run: Run<C>): ExecutionResult {
    const { errors } = run;
    let { extensions } = run;
    let data: Fields | null;
    if (this.#unserved.length > 0) {
      errors.push(...unservedErrors(this.#unserved, run.data ?? {}));
    }
    if (!this.#source.plan.node && errors.length > 0) {
      data = null;
    } else if (this.#passThrough && run.data) {
      data = run.data;
    } else {
      const projectedData = this.#projection(run.coerced)(run.data ?? {}, (nodes) =>
        introspect(this.#source, nodes, run.provided),
      );
      data = projectedData.data;
      if (errors.length === 0 && projectedData.errors.length > 0) {
        // Apollo's gateway and router do the same. After a failed fetch these errors only repeat its failure.
        extensions = { ...extensions, valueCompletion: projectedData.errors };
      }
    }
    const response: ExecutionResult = errors.length === 0 ? { data } : { errors, data };
    if (extensions) {
      response.extensions = extensions;
    }
    return response;
  }

  #projection(coercedValues: Readonly<Fields>): Projection {
    const key = conditionKey(this.#source.conditions, coercedValues);
    let projection = this.#projections.get(key);
    if (!projection) {
      const { schema, fragments, operation, names } = this.#source;
      const context = { schema, fragments, variables: coercedValues, keyOf: names.keyOf };
      projection = compileProjection(context, this.#rootType, operation.selectionSet);
      if (this.#projections.size >= maxProjections) {
        this.#projections.clear();
      }
      this.#projections.set(key, projection);
    }
    return projection;
  }
}
