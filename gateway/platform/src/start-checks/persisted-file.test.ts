import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platformEnvironment } from "../settings/environment.js";
import { persistedFile } from "./persisted-file.js";

describe("the file of persisted documents", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "persisted-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function problemOf(content: string): Promise<string | undefined> {
    const file = join(folder, "documents.json");
    await writeFile(file, content);
    return (await persistedFile(platformEnvironment({ PERSISTED_DOCUMENTS: file })))?.replace(file, "<file>");
  }

  it("may be absent", async () => {
    expect(await persistedFile(platformEnvironment({}))).toBeUndefined();
  });

  it("is read, whatever the graph is", async () => {
    expect(await problemOf('{"a":"{ anything }"}')).toBeUndefined();
  });

  it("is refused in one line with its name and the reason", async () => {
    const problem = await problemOf('{\n  "a": "query {",\n  "b"\n}');
    expect(problem).toMatch(
      /^PERSISTED_DOCUMENTS=<file> cannot be used: It is not JSON: .+ Correct the file, or remove/,
    );
    expect(problem).not.toContain("\n");
    expect(await problemOf('{"a":"query {"}')).toContain("The document a cannot be parsed: Syntax Error");
  });
});
