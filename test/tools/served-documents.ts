import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "@factory/test/kit/request";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from "graphql";
import type { Caller } from "./caller.ts";

/** Writes the graph as a client's tools see it, by introspection, and returns the path. */
export async function graphFile({ token }: Caller, folder: string): Promise<string> {
  const { body } = await request<{ data: IntrospectionQuery }>("POST /graphql", {
    token,
    body: { query: getIntrospectionQuery({ inputValueDeprecation: true }) },
  });
  const file = join(folder, "schema.graphql");
  await writeFile(file, printSchema(buildClientSchema(body.data)));
  return file;
}

/** Writes the served OpenAPI document, and returns the path. */
export async function openApiFile(folder: string): Promise<string> {
  const { text } = await request("GET /openapi.json");
  const file = join(folder, "openapi.json");
  await writeFile(file, text);
  return file;
}
