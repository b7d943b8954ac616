import type { Scope } from "@factory/schema/scopes";

/** A specification, its subgraph, and its documents' folder under `operations/`. */
export type Area = "catalog" | "integration" | "spine";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One documented endpoint and the one GraphQL operation that answers it. */
export interface Route {
  /** Method and path; path parameters in the specifications' braces. */
  readonly at: `${Method} /${string}`;
  /** Root field, and the document's name in `operations/<area>/`. Its selection set is the response body. */
  readonly run: string;
  /** 204 answers without the body, whatever the operation selects. */
  readonly reply: 200 | 201 | 202 | 204;
  /** Answers 200 instead of `reply` where the operation's member `created` is false; no body shows that member. */
  readonly mayExist?: true;
  /** Answers 202 where the operation's member `approvalId` is set: the change waits. Other answers do not show it. */
  readonly mayWait?: true;
  /** Any one suffices. The subgraph enforces them; here they are for the reader and for an early refusal. */
  readonly scopes: readonly Scope[];
  readonly platformAdmin?: true;
  /** Needs no token and ignores one that is sent. Its requests are counted per address. */
  readonly anonymous?: true;
  /**
   * GET, PUT and PATCH answer a strong entity tag: this member in the body. The operation takes `ifMatch` and
   * `ifNoneMatch`.
   */
  readonly etag?: "version";
  /**
   * About the token's person, who needs no scope, but a first-party client. Services, agents and third parties are
   * refused.
   */
  readonly forPeople?: true;
  /** Accepts `Idempotency-Key`. */
  readonly idempotent?: true;
  readonly version?: "media-type" | "header";
  readonly surface?: "internal";
  /** Location header template, filled from the response body, then from the path. */
  readonly location?: `/${string}`;
  /** Values in the body's `status` with which the answer carries Retry-After. */
  readonly retryWhile?: readonly string[];
}

/** An endpoint with a token that runs no GraphQL operation. */
export interface PlainRoute {
  readonly at: `${Method} /${string}`;
  readonly scopes: readonly Scope[];
  readonly version?: "media-type" | "header";
}

/** The statuses for answers that are not errors; `reply` is the first one. */
export const successesOf = ({ reply, mayExist, mayWait }: Route): Route["reply"][] => [
  reply,
  ...(mayExist ? [200 as const] : []),
  ...(mayWait ? [202 as const] : []),
];

/** Splits `GET /v1/roles` into method and path. */
export function endpointOf(at: string): { method: Method; path: string } {
  const space = at.indexOf(" ");
  return { method: at.slice(0, space) as Method, path: at.slice(space + 1) };
}

/** `/v1/templates/{templateId}` as fastify writes it: `/v1/templates/:templateId`. */
export const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** A fastify route's path as the specifications write it. */
export const documentedPath = (url: string) => url.replaceAll(/:(\w+)/g, "{$1}");

/** The names in a path's braces. */
export const pathParameters = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
