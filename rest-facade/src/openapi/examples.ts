import type { JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { exampleValue } from "@factory/schema/example-values";
import type { CompiledRoute } from "../requests/compile-route.js";
import { exampleBodies } from "./example-bodies.js";

type Member = Record<string, unknown>;

/** A route's request body: valid, but about nothing that exists. */
export const exampleBody = ({ operation }: Pick<CompiledRoute, "operation">, schema: JsonSchema): Member => ({
  ...(exampleValue(schema, "body") as Member),
  ...exampleBodies[operation.name],
});

/** A reference to one of the document's examples, as a body has it. */
export const exampleReference = (name: string) => ({ example: { $ref: `#/components/examples/${name}` } });

/**
 * Adds an example to each parameter and each body of operations that are described by hand, where they have none. Pages
 * and files get none.
 */
export function withExamples(paths: Record<string, Record<string, Member>>): Record<string, Record<string, Member>> {
  const copy = structuredClone(paths);
  for (const operation of Object.values(copy).flatMap((methods) => Object.values(methods))) {
    for (const parameter of (operation["parameters"] ?? []) as Member[]) addExample(parameter, nameOf(parameter));
    const answers = Object.values(operation["responses"] as Record<string, Member>);
    for (const body of [operation["requestBody"] as Member | undefined, ...answers])
      for (const [type, media] of Object.entries((body?.["content"] ?? {}) as Record<string, Member>))
        if (shownTypes.test(type)) addExample(media, "body");
  }
  return copy;
}

const shownTypes = /^(text\/plain|application\/(json|.*\+json|x-www-form-urlencoded))$/;

const nameOf = (parameter: Member) =>
  parameter["in"] === "header" ? String(parameter["name"]).toLowerCase() : String(parameter["name"]);

function addExample(place: Member, name: string): void {
  const schema = place["schema"] as JsonSchema | undefined;
  if (!schema || schema["$ref"] || "example" in place) return;
  place["example"] = exampleValue(schema, name);
}
