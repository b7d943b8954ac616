import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import { protocolDigest } from "@factory/schema/proto/generated/descriptors";

const folder = fileURLToPath(new URL("../../schema/proto/", import.meta.url));

describe("the gRPC protocol", () => {
  it("has up-to-date generated code (npm run proto)", async () => {
    const files = trackedFilesIn(folder)
      .filter((file) => file.endsWith(".proto"))
      .sort();
    expect(files.length).toBeGreaterThan(0);
    const digest = createHash("sha256");
    for (const file of files) digest.update(await readFile(join(folder, file)));
    expect(protocolDigest).toBe(digest.digest("hex"));
  });
});
