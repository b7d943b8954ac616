import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const compose = fileURLToPath(new URL("../../gateway/platform/dist/compose.js", import.meta.url));

describe("schema/*.graphql", () => {
  it("matches the resolver classes and composes to the supergraph", async () => {
    const { stderr } = await run(process.execPath, ["--no-warnings", compose, "--check"]);
    expect(stderr).toBe("");
  });
});
