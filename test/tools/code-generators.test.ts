import { doesNotReject } from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Caller } from "./caller.ts";
import { graphFile, openApiFile } from "./served-documents.ts";
import { aCodeFolder, compile } from "./strict-compiler.ts";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const folder = await aCodeFolder();
after(() => rm(folder, { recursive: true }));

await graphFile(await Caller.open(), folder);
await openApiFile(folder);

await writeFile(
  join(folder, "codegen.json"),
  JSON.stringify({
    schema: "schema.graphql",
    // the documents behind the REST API select most of the graph
    documents: pathOf("../../rest-facade/src/operations/**/*.graphql"),
    generates: {
      "graph.ts": { plugins: ["typescript"] },
      "operations.ts": { plugins: ["typescript-operations"] },
      "client/": { preset: "client" },
    },
  }),
);

/** The command of a generator, and code that compiles only if the generated types have content. */
interface Generator {
  readonly command: readonly string[];
  readonly use: string;
}

const generators: Record<string, Generator> = {
  "graphql-codegen (typescript, typescript-operations, client preset)": {
    command: ["graphql-codegen", "--config", "codegen.json"],
    use: `import type { ResultOf } from "@graphql-typed-document-node/core";
      import { RegisterTemplateDocument } from "./client/graphql";
      import type { Template } from "./graph";
      import type { RegisterTemplateMutation, RegisterTemplateMutationVariables } from "./operations";
      export const variables: RegisterTemplateMutationVariables = { input: { name: "web-api" } };
      export const names = (
        { name }: Template,
        { registerTemplate }: RegisterTemplateMutation,
        answer: ResultOf<typeof RegisterTemplateDocument>,
      ): (string | undefined)[] => [name, registerTemplate?.name, answer.registerTemplate?.name];`,
  },
  "openapi-typescript": {
    command: ["openapi-typescript", "openapi.json", "--output", "openapi-typescript.ts"],
    use: `import type { paths } from "./openapi-typescript";
      type Answers = paths["/v1/templates/{templateId}"]["get"]["responses"];
      export const name = (answer: Answers[200]["content"]["application/json"]): string => answer.name;`,
  },
  "@hey-api/openapi-ts": {
    command: ["openapi-ts", "--input", "openapi.json", "--output", "hey-api", "--no-log-file"],
    use: `import { registerTemplate } from "./hey-api";
      export const name = async (): Promise<string | undefined> =>
        (await registerTemplate({ body: { name: "web-api" } })).data?.name;`,
  },
  orval: {
    command: ["orval", "--input", "openapi.json", "--output", "orval.ts"],
    use: `import { registerTemplate } from "./orval";
      export const name = async (): Promise<string> => (await registerTemplate({ name: "web-api" })).data.name;`,
  },
};

for (const [name, { command, use }] of Object.entries(generators))
  test(`the output of ${name} compiles under strict`, async () => {
    const [program = "", ...options] = command;
    await promisify(execFile)(pathOf(`node_modules/.bin/${program}`), options, { cwd: folder });
    await doesNotReject(compile(folder, use));
  });
