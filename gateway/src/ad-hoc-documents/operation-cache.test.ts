import { parse } from "graphql";
import type { CompiledOperation } from "../execution/compiled-operation.js";
import { OperationCache } from "./operation-cache.js";

const document = parse("{ a }");
const operation = { kind: "query" } as CompiledOperation<object>;

function cacheOf(limits: { documents?: number; bytes?: number; ownerShare?: number }) {
  const cache = new OperationCache<object>({ documents: 10, bytes: 1000, ownerShare: 1, ...limits });
  const keep = (digest: string, owner = "a", bytes = 10, name = "") =>
    cache.keep(digest, { owner, document, name, bytes }, operation);
  const cachedDigests = (...digests: string[]) => digests.filter((digest) => cache.operation(digest, "") !== undefined);
  return { cache, keep, known: cachedDigests };
}

describe("the cache of ad-hoc operations", () => {
  it("forgets documents and operations together, those used longest ago first", () => {
    const { cache, keep, known } = cacheOf({ documents: 3 });
    for (const digest of ["1", "2", "3"]) keep(digest);
    cache.document("1");
    keep("4");
    expect(known("1", "2", "3", "4")).toEqual(["1", "3", "4"]);
    expect(cache.document("2")).toBeUndefined();
    expect(cache.held).toEqual({ documents: 3, bytes: 30 });
  });

  it("is bounded in bytes, over all operations of a document", () => {
    const { cache, keep, known } = cacheOf({ bytes: 100 });
    keep("1", "a", 40);
    keep("2", "a", 40);
    keep("2", "a", 40, "Second");
    expect(known("1", "2")).toEqual(["2"]);
    expect(cache.operation("2", "Second")).toBe(operation);
    expect(cache.held).toEqual({ documents: 1, bytes: 80 });
  });

  it("keeps nothing that is larger than all of it", () => {
    const { cache, keep } = cacheOf({ bytes: 100 });
    keep("1", "a", 101);
    expect(cache.held).toEqual({ documents: 0, bytes: 0 });
  });

  it("does not let one owner displace the documents of the others", () => {
    const { cache, keep, known } = cacheOf({ documents: 10, ownerShare: 0.5 });
    keep("other", "b");
    for (let count = 0; count < 100; count += 1) keep(`a${count}`, "a");
    expect(known("other", "a94", "a95", "a99")).toEqual(["other", "a95", "a99"]);
    expect(cache.held.documents).toBe(6);
  });
});
