import { composeServices } from "@apollo/composition";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { FeedEnd } from "@factory/runtime/graphql/feed-end";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import { authorize } from "@factory/runtime/graphql/guard";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type GraphQLSchema, parse } from "graphql";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { Channel } from "./channel.fixture.js";
import { SupergraphExecutor } from "./supergraph-executor.js";

interface Note {
  readonly id: string;
  readonly text: string;
}

const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key"])';
/** The SDL for the subgraph `notes`. */
export const notes = `${link}
type Query { note: Note }
type Mutation { addNote: Note! }
type Subscription { noted: Note! }
type Note @key(fields: "id") { id: ID! text: String! }`;
/** The SDL for the subgraph `comments`. */
export const comments = `${link}
type Note @key(fields: "id") { id: ID! comment: String owner: String }`;

/** Composed for the first notebook, since it is the same for all of them. */
let composedSdl: string | undefined;

function compose(): string {
  const composition = composeServices(
    Object.entries({ notes, comments }).map(([name, sdl]) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  );
  if (composition.errors) throw new Error(composition.errors.join("\n"));
  return composition.supergraphSdl;
}

/**
 * A subgraph with notes and a subgraph with their comments. A caller needs the scope `templates.read` to read comments.
 */
export class Notebook {
  readonly executor: SupergraphExecutor<RequestContext>;
  readonly supergraphSdl: string;
  readonly schemas: ReadonlyMap<string, GraphQLSchema>;
  /** Whether a subscription that must end reports a cursor: how many notes it has seen. */
  tellsCursor = true;
  /** How many notes subscribers have received. */
  taken = 0;
  added = 0;
  joined = 0;
  /** How many note fetches have begun. Each fetch waits for the gate. */
  asked = 0;
  gate: Promise<void> = Promise.resolve();
  readonly #subscribers = new Set<Channel<Note>>();

  constructor() {
    composedSdl ??= compose();
    this.supergraphSdl = composedSdl;
    this.schemas = new Map([
      ["notes", this.#notes()],
      ["comments", this.#comments()],
    ]);
    this.executor = new SupergraphExecutor(
      new OperationPlanner(composedSdl),
      [...this.schemas].map(([name, schema]) => localSubgraph<RequestContext>(name, schema)),
    );
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** Pushes the same object to every tenant's subscribers. */
  tell(note: Note): void {
    for (const subscriber of this.#subscribers) subscriber.push(note);
  }

  #farewell(): FeedEnd {
    const detail = "The platform ended the subscription. Subscribe again after the cursor.";
    return new FeedEnd(new DomainError("UNAVAILABLE", { detail, cursor: String(this.taken) }));
  }

  #notes() {
    const note = { id: "1", text: "first" };
    const resolvers = {
      Query: {
        note: async () => {
          this.asked += 1;
          await this.gate;
          return note;
        },
      },
      Mutation: {
        addNote: async () => {
          this.asked += 1;
          await this.gate;
          this.added += 1;
          return note;
        },
      },
      Subscription: {
        noted: {
          subscribe: () => this.#open(),
          resolve: (event: Note | FeedEnd, _: unknown, context: RequestContext) => {
            if (event instanceof FeedEnd) throw toGraphqlError(event.reason, context);
            this.taken += 1;
            return event;
          },
        },
      },
    };
    return buildSubgraphSchema([{ typeDefs: parse(notes), resolvers: resolvers as never }]);
  }

  #comments() {
    const guard =
      (readValue: (context: RequestContext) => unknown) => (_: unknown, __: unknown, context: RequestContext) => {
        try {
          authorize({ scopes: ["templates.read"] }, context);
          return readValue(context);
        } catch (error) {
          throw toGraphqlError(error, context);
        }
      };
    const resolvers = {
      Note: {
        __resolveReference: (reference: object) => {
          this.joined += 1;
          return reference;
        },
        comment: guard(({ principal }) => `for ${principal?.tenantId}`),
        // The subject differs within a group, so a group's subscribers must not share it.
        owner: guard(({ principal }) => principal?.subject),
      },
    };
    return buildSubgraphSchema([{ typeDefs: parse(comments), resolvers: resolvers as never }]);
  }

  #open(): AsyncIterableIterator<Note> {
    const channel = new Channel<Note>();
    this.#subscribers.add(channel);
    const events = channel.open();
    let isLast = false;
    const leave = async (): Promise<IteratorResult<Note>> => {
      this.#subscribers.delete(channel);
      return (await events.return?.()) ?? { done: true, value: undefined };
    };
    const next = async (): Promise<IteratorResult<Note>> => {
      if (isLast) return leave();
      const item = await events.next();
      isLast = (item.value as unknown) instanceof FeedEnd;
      return item;
    };
    const end = () => channel.push(this.#farewell() as never);
    return {
      ...(this.tellsCursor ? { end } : {}),
      next,
      return: leave,
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}
