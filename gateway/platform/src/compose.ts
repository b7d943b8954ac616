import "reflect-metadata";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { composeServices } from "@apollo/composition";
import { catalogModules } from "@factory/catalog/modules";
import { integrationModules } from "@factory/integration/modules";
import { endpointTable } from "@factory/rest-facade/endpoint-table";
import { moduleSdl } from "@factory/runtime/subgraph/module-schema";
import { spineModules } from "@factory/spine/modules";
import { parse } from "graphql";
import { eventCatalogue } from "./event-catalogue.js";

function generatedFiles(): Record<string, string> {
  const subgraphs = {
    catalog: moduleSdl("catalog", catalogModules),
    integration: moduleSdl("integration", integrationModules),
    spine: moduleSdl("spine", spineModules),
  };
  const composition = composeServices(
    Object.entries(subgraphs).map(([name, sdl]) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  );
  if (composition.errors)
    throw new Error(`The subgraphs do not compose:\n${composition.errors.map(({ message }) => message).join("\n")}`);
  const graphs = Object.entries({ ...subgraphs, supergraph: composition.supergraphSdl });
  const rows = endpointTable(composition.supergraphSdl).map((row) => JSON.stringify(row));
  return {
    ...Object.fromEntries(
      graphs.map(([name, sdl]) => [
        `${name}.graphql`,
        `# Made by "npm run schema" from the resolver classes. Do not edit.\n\n${sdl.trim()}\n`,
      ]),
    ),
    "endpoints.json": `[\n  ${rows.join(",\n  ")}\n]\n`,
  };
}

/** `npm run schema` writes the generated files; with --check it compares them and fails on a difference. */
async function main(check: boolean): Promise<void> {
  const supergraph = import.meta.resolve("@factory/schema/supergraph.graphql");
  let stale = 0;
  const catalogue = { "events/catalogue.md": await eventCatalogue(new URL("./events/", supergraph)) };
  for (const [name, content] of Object.entries({ ...generatedFiles(), ...catalogue })) {
    const file = fileURLToPath(new URL(`./${name}`, supergraph));
    if (!check) await writeFile(file, content);
    else if ((await readFile(file, "utf8").catch(() => "")) !== content) {
      stale += 1;
      process.stderr.write(`schema/${name} differs from the code: run "npm run schema" and commit it\n`);
    }
  }
  if (stale > 0) process.exit(1);
}

await main(process.argv.includes("--check"));
