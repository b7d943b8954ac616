import { type Html, html } from "@factory/runtime/html/html";
import type { JsonSchema } from "@factory/schema/event-schemas";
import { inlineCode } from "./inline-code.js";

interface Member {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** A table with an object's members, and those that objects inside it have. Without descriptions it has two columns. */
export function memberTable(schema: JsonSchema): Html {
  const members = membersOf(schema, "");
  const isDescribed = members.some(({ schema: { description } }) => description !== undefined);
  const rows = members.map(
    ({ path, schema: member, required }) => html`
<tr><th scope="row"><code>${path}</code></th><td>${typeOf(member)}${required ? undefined : ", optional"}</td>${isDescribed ? html`<td>${inlineCode(member.description)}</td>` : undefined}</tr>`,
  );
  const meaning = isDescribed ? html`<th scope="col">Meaning</th>` : undefined;
  return html`<div class="scroll"><table><thead><tr><th scope="col">Member</th><th scope="col">Type</th>${meaning}</tr></thead><tbody>${rows}
</tbody></table></div>`;
}

function membersOf({ properties = {}, required = [] }: JsonSchema, parent: string): Member[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${parent}${name}`;
    const inner = schema.items ? membersOf(schema.items, `${path}[].`) : membersOf(schema, `${path}.`);
    return [{ path, schema, required: required.includes(name) }, ...inner];
  });
}

/** A member's type in words. */
function typeOf(schema: JsonSchema): string {
  const types = [schema.type ?? []].flat();
  const alternatives = types.length > 1 && types.includes("null") ? " or null" : "";
  if (Object.hasOwn(schema, "const")) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.format === "date-time") return `time${alternatives}`;
  const prefix = /^\^\(?([a-z]{3}(?:\|[a-z]{3})*)\)?_/.exec(schema.pattern ?? "")?.[1];
  if (prefix) return `id ${prefix.replaceAll("|", "_… or ")}_…${alternatives}`;
  const [type = "any"] = types.filter((candidate) => candidate !== "null");
  return `${type === "array" ? `list of ${typeOf(schema.items ?? {})}` : type}${alternatives}`;
}
