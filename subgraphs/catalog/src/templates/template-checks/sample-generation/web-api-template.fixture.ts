import { readFileSync } from "node:fs";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import type { TreeFile } from "@factory/template-engine/file-tree";

/** The realistic template that the whole-stack tests and the demonstration use. */
export function webApiTemplate(): Map<string, TreeFile> {
  const root = new URL("../../../../../../test/fixtures/web-api-template/", import.meta.url);
  const paths = trackedFilesIn(root).sort();
  return new Map(paths.map((path) => [path, { bytes: readFileSync(new URL(path, root)), executable: false }]));
}

/** All parameters in that template, as a careful author describes them. */
export const webApiSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["Framework"],
  properties: {
    name: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9.]*$", maxLength: 100 },
    Framework: { enum: ["net8.0", "net9.0", "net10.0"], default: "net8.0" },
    Description: { type: "string", maxLength: 200, default: "A web API." },
    HttpPort: { type: "integer", minimum: 1024, maximum: 65535, default: 5080 },
    EnableOpenApi: { type: "boolean", default: true },
    Database: { type: "string", enum: ["None", "PostgreSql", "SqlServer"], default: "None" },
    IncludeTests: { type: "boolean", default: true },
    IncludeDocker: { type: "boolean" },
  },
  additionalProperties: false,
};
