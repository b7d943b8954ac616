import { deepEqual, equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { aFlag } from "@factory/test/kit/feature-flags";
import { graphql } from "@factory/test/kit/request";
import {
  type ConcreteRequest,
  ConnectionHandler,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLResponse,
  getSingularSelector,
  Network,
  type OperationType,
  type ReaderFragment,
  RecordSource,
  ROOT_ID,
  Store,
  type Variables,
} from "relay-runtime";
import { Caller } from "./caller.ts";
import { anObject, documentsOf, kinds, showsChange } from "./changes.ts";
import { examples } from "./guide.ts";
import { graphFile } from "./served-documents.ts";

const caller = await Caller.open();
const folder = await mkdtemp(join(tmpdir(), "relay-"));
after(() => rm(folder, { recursive: true }));

/** The documents of an application. Their names begin with the name of their module. */
const documents = [
  ...kinds.flatMap((kind) => Object.values(documentsOf(kind))),
  "query changesTemplatesQuery { templates { edges { node { id name ...changes_template } } } }",
  'fragment changes_template on Template @refetchable(queryName: "changesTemplateRefetchQuery") { description }',
  "query changesPagesQuery { ...changes_pages }",
  `fragment changes_pages on Query @refetchable(queryName: "changesNextPageQuery")
     @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
     templates(first: $count, after: $cursor) @connection(key: "changes_templates") { edges { node { name } } } }`,
];

await compile();

/** Runs the compiler as an application does, over the graph that the platform shows. */
async function compile(): Promise<void> {
  await mkdir(join(folder, "src"));
  await mkdir(join(folder, "artifacts"));
  await graphFile(caller, folder);
  const tags = documents.map((document) => `graphql\`${document}\`;`);
  await writeFile(join(folder, "src/changes.js"), tags.join("\n"));
  await writeFile(join(folder, "src/flags.js"), examples.get("relay-runtime") ?? "");
  const settings = {
    src: "./src",
    schema: "./schema.graphql",
    language: "javascript",
    artifactDirectory: "./artifacts",
    eagerEsModules: false,
  };
  await writeFile(join(folder, "relay.config.json"), JSON.stringify(settings));
  const compiler = fileURLToPath(import.meta.resolve("relay-compiler/cli.js"));
  await promisify(execFile)(process.execPath, [compiler, "--noWatchman"], { cwd: folder });
}

const artifact = (name: string) => createRequire(join(folder, "artifacts/"))(`./${name}.graphql.js`) as ConcreteRequest;

const anEnvironment = () =>
  new Environment({
    network: Network.create(async ({ text }, variables) => {
      const answer = await caller.fetch(caller.graphUrl, {
        method: "POST",
        headers: { ...caller.headers, "content-type": "application/json" },
        body: JSON.stringify({ query: text, variables }),
      });
      return (await answer.json()) as GraphQLResponse;
    }),
    store: new Store(new RecordSource()),
  });

/** Reads as a component does: from the store where that has everything. */
async function read(environment: Environment, name: string, variables: Variables = {}): Promise<unknown> {
  environment.retain(createOperationDescriptor(artifact(name), variables));
  return fetchQuery<OperationType>(environment, artifact(name), variables, {
    fetchPolicy: "store-or-network",
  }).toPromise();
}

/** The data of a component that stays on the screen, without a request. */
function shown(environment: Environment, name: string, fragmentName?: string): unknown {
  const { fragment } = createOperationDescriptor(artifact(name), {});
  const { data } = environment.lookup(fragment);
  if (fragmentName === undefined) return data;
  const selector = getSingularSelector(artifact(fragmentName) as unknown as ReaderFragment, data);
  return selector && environment.lookup(selector).data;
}

const keysIn = (flags: unknown) =>
  (flags as { featureFlags: { edges: { node: { key: string } }[] } }).featureFlags.edges.map(({ node }) => node.key);

const change = (environment: Environment, name: string, variables: Variables) =>
  new Promise<void>((resolve, reject) => {
    commitMutation(environment, {
      mutation: artifact(name),
      variables,
      onCompleted: (_, errors) => (errors ? reject(new Error(JSON.stringify(errors))) : resolve()),
      onError: reject,
    });
  });

for (const kind of kinds)
  test(`Relay shows a changed object in a list without a request: ${kind}`, async () => {
    const environment = anEnvironment();
    const { id, listVariables } = await anObject(caller, kind);
    equal(showsChange(kind, await read(environment, `changes_${kind}Query`, listVariables)), false);
    await change(environment, `changes_${kind}Mutation`, { id });
    const requestsBefore = caller.requests;
    equal(showsChange(kind, await read(environment, `changes_${kind}Query`, listVariables)), true);
    equal(caller.requests, requestsBefore);
  });

test("Relay refetches an object by its id alone", async () => {
  const environment = anEnvironment();
  const { id } = await anObject(caller, "template");
  await read(environment, "changes_templateQuery");
  await graphql(documentsOf("template").mutation, { token: caller.token, variables: { id } });
  await read(environment, "changesTemplateRefetchQuery", { id });
  const requestsBefore = caller.requests;
  equal(showsChange("template", await read(environment, "changes_templateQuery")), true);
  equal(caller.requests, requestsBefore);
});

test("Relay adds the next page to a connection", async () => {
  const environment = anEnvironment();
  for (let at = 0; at < 3; at += 1) await anObject(caller, "template");
  const pages = () => (shown(environment, "changesPagesQuery", "changes_pages") as { templates: Page }).templates;
  await read(environment, "changesPagesQuery");
  equal(pages().edges.length, 2);
  await read(environment, "changesNextPageQuery", { count: 2, cursor: pages().pageInfo.endCursor });
  equal(new Set(pages().edges.map(({ node }) => node.name)).size, 4);
});

test("Relay shows a created and a deleted object by the guide's directives, without a request", async () => {
  const environment = anEnvironment();
  await aFlag(caller.token, "older");
  await read(environment, "flagsQuery");
  const keysBefore = keysIn(shown(environment, "flagsQuery"));
  const connections = [ConnectionHandler.getConnectionID(ROOT_ID, "flags_featureFlags")];
  await change(environment, "flagsCreateMutation", { key: "created", connections });
  deepEqual(keysIn(shown(environment, "flagsQuery")), [...keysBefore, "created"]);
  await change(environment, "flagsDeleteMutation", { key: "created", connections });
  deepEqual(keysIn(shown(environment, "flagsQuery")), keysBefore);
});

interface Page {
  readonly edges: readonly { readonly node: { readonly name: string } }[];
  readonly pageInfo: { readonly endCursor: string };
}
