import { requireDescribed } from "./described-answers.js";
import { platform } from "./platform.js";

export interface Response<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

// biome-ignore format: the answer's body is what the test says it is
export type Json = { readonly [member: string]: Json } & readonly Json[] & string & number & boolean & null;

interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Bytes that are sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array;
  readonly base?: string;
}

/** `request("POST /v1/templates", { token, body })` */
export async function request<T = Json>(line: string, options: RequestOptions = {}): Promise<Response<T>> {
  const [method = "GET", path = "/"] = line.split(" ");
  const { token, body, raw, headers, base = platform().publicUrl } = options;
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(base + path, {
    method,
    redirect: "manual",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(content === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  // the internal listener has no document
  if (base !== platform().internalUrl)
    requireDescribed(method, path, { status: response.status, headers: response.headers, text });
  const json = (response.headers.get("content-type") ?? "").includes("json");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (json && text !== "" ? JSON.parse(text) : null) as T,
  };
}

export async function graphql<T = Json>(
  query: string,
  options: RequestOptions & { variables?: Record<string, unknown> } = {},
): Promise<
  Response<{
    data: T;
    errors?: { message: string; path?: unknown[]; extensions: { code: string } & Record<string, unknown> }[];
  }>
> {
  const { variables, headers, ...rest } = options;
  return request("POST /graphql", {
    ...rest,
    // a refused document has a status of its own with this media type only
    headers: { accept: "application/graphql-response+json", ...headers },
    body: { query, ...(variables ? { variables } : {}) },
  });
}
