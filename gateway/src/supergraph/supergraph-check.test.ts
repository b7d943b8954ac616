import { getEventListeners } from "node:events";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { ensureCompiledWorker } from "../ad-hoc-documents/compiled-worker.fixture.js";
import { comments, notes } from "../execution/notes.fixture.js";
import { checkSupergraph } from "./supergraph-check.js";

const subgraphSdls = { notes, comments };
const logger = createLogger("test", "silent");

beforeAll(() => ensureCompiledWorker());

describe("the check of a supergraph in its thread", () => {
  it("judges the candidate, and keeps nothing of it", async () => {
    const { signal } = new AbortController();
    const check = { candidate: { subgraphSdls }, connected: subgraphSdls };
    expect(await checkSupergraph(check, { logger, signal })).toMatchObject({ supergraphSdl: expect.any(String) });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends when the platform stops", async () => {
    const closing = new AbortController();
    const check = { candidate: { subgraphSdls }, connected: subgraphSdls };
    const verdict = checkSupergraph(check, { logger, signal: closing.signal });
    closing.abort();
    await expect(verdict).rejects.toThrow("stopping");
  });
});
