import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { canonicalTexts } from "@factory/runtime/input-validation/canonical-form";
import { fieldSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { tenantSettings } from "@factory/schema/tenant-settings";
import { buildSchema, isInputObjectType } from "graphql";

const isNameOfAddress = (name: string) =>
  /mail$|ur[il]s?$|^hosts?$|domains?$|issuer$|^repository(?:Base)?$/i.test(name);

/** Members with this name that are not read by their format, with the reason. */
const others: Readonly<Record<string, string>> = {
  "CreateApiClientInput.redirectUris":
    "RFC 6749 compares redirect URIs as texts, so they stay as the client sends them.",
  "UpdateApiClientInput.redirectUris":
    "RFC 6749 compares redirect URIs as texts, so they stay as the client sends them.",
  "ExecutionFilterInput.repository": "A filter finds nothing for a text that no execution has as its target.",
  "ExecutionTargetInput.repository": "It may be owner/name. The target gives a URL its form.",
  "ProviderMailServerInput.host": "It may be an IP address. The check of the driver gives a name its form.",
  "RequestPasswordResetInput.email": "Every text has the same answer. It is compared by its key.",
  "UserFilterInput.email": "A filter finds nothing for a text that is no address. It is compared by its key.",
};

const schemaFile = (name: string) => fileURLToPath(import.meta.resolve(`@factory/schema/${name}`));

/** A JSON Schema's members, each with its path. */
function membersOf(schema: JsonSchema, path: string): [path: string, name: string, schema: JsonSchema][] {
  const { properties = {}, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  const ownMembers = Object.entries(properties).flatMap(([name, member]): [string, string, JsonSchema][] => [
    [`${path}.${name}`, name, member],
    ...membersOf(member, `${path}.${name}`),
  ]);
  return items ? [...ownMembers, ...membersOf(items, path)] : ownMembers;
}

const hasForm = ({ format, items, anyOf }: JsonSchema): boolean =>
  (typeof format === "string" && Object.hasOwn(canonicalTexts, format)) ||
  (items !== undefined && hasForm(items as JsonSchema)) ||
  (Array.isArray(anyOf) && anyOf.some((option) => hasForm(option as JsonSchema)));

describe("every address, host name and URL that comes in", () => {
  it("gets its one form, as a member of an input or a command or as a setting", async () => {
    const graph = buildSchema(await readFile(schemaFile("supergraph.graphql"), "utf8"), { assumeValid: true });
    const inputs = Object.values(graph.getTypeMap()).filter(isInputObjectType);
    const members = inputs.flatMap((type) =>
      Object.values(type.getFields()).map((field): [string, string, JsonSchema] => [
        `${type.name}.${field.name}`,
        field.name,
        fieldSchema(field),
      ]),
    );
    const commands = schemaFile("commands/SendEmail.schema.json").replace(/[^/\\]*$/, "");
    for (const file of (await readdir(commands)).filter((name) => name.endsWith(".schema.json")))
      members.push(...membersOf(JSON.parse(await readFile(`${commands}${file}`, "utf8")), file.replace(/\..*/, "")));
    for (const [key, { schema }] of Object.entries(tenantSettings))
      members.push([key, key.slice(key.indexOf(".") + 1), { ...schema }]);
    const addressMembers = members.filter(([, name]) => isNameOfAddress(name));
    expect(addressMembers.length).toBeGreaterThan(20);
    const without = addressMembers.filter(([, , schema]) => !hasForm(schema)).map(([path]) => path);
    expect(without.sort()).toEqual(Object.keys(others).sort());
  });

  it("has no format of ASCII only", async () => {
    for (const file of ["supergraph.graphql", "catalog.graphql", "integration.graphql", "spine.graphql"])
      expect(
        await readFile(schemaFile("supergraph.graphql").replace(/supergraph\.graphql$/, file), "utf8"),
      ).not.toMatch(/format: "(?:email|uri|hostname)"/);
  });
});
