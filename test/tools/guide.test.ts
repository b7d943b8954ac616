import { deepEqual } from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, test } from "node:test";
import { examples } from "./guide.ts";
import { aCodeFolder, compile } from "./strict-compiler.ts";

const folder = await aCodeFolder();
after(() => rm(folder, { recursive: true }));

test("the guide has an example of each client", () =>
  deepEqual([...examples.keys()], ["@apollo/client/core", "@urql/core", "relay-runtime", "graphql-ws", "graphql-sse"]));

for (const [name, text] of examples)
  test(`the guide's example of ${name} compiles under strict`, () => compile(folder, text));
