import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { branchProblem, parseTargetRepository } from "./target-repository.js";

const development: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const production: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: false, allowHosts: [] };

describe("reading target.repository", () => {
  it.each([
    ["https://host.example/o/r.git", { kind: "url", url: "https://host.example/o/r.git" }],
    ["https://bücher.example/o/r.git", { kind: "url", url: "https://xn--bcher-kva.example/o/r.git" }],
    ["file:///srv/x.git", { kind: "url", url: "file:///srv/x.git" }],
    ["http://127.0.0.1:3000/x.git", { kind: "url", url: "http://127.0.0.1:3000/x.git" }],
    ["acme/orders", { kind: "shorthand", owner: "acme", name: "orders" }],
    ["acme/Orders.Api.git", { kind: "shorthand", owner: "acme", name: "Orders.Api" }],
  ])("takes %s", (text, expectedRepository) => {
    expect(parseTargetRepository(text, development)).toEqual(expectedRepository);
  });

  it("takes ssh where it is allowed, and judges its host", () => {
    const open = { ...production, allowSsh: true };
    const url = "ssh://git@host.example:2222/o/r.git";
    expect(parseTargetRepository(url, open)).toEqual({ kind: "url", url });
    expect(parseTargetRepository("ssh://git@bücher.example/o/r.git", open)).toEqual({
      kind: "url",
      url: "ssh://git@xn--bcher-kva.example/o/r.git",
    });
    for (const refusedText of [
      "ssh://git@１０.0.0.1/r.git",
      "ssh://git@10.0.0.1/r.git",
      "ssh://git:secret@host.example/r.git",
      "git@host.example:o/r",
    ])
      expect(parseTargetRepository(refusedText, open)).toEqual({ problem: expect.any(String) });
  });

  it.each([
    "",
    "acme",
    "/acme/orders",
    "acme/orders/more",
    "../orders",
    "acme/..",
    "acme/.git",
    "acme/x.lock",
    "acme/nul",
    "-acme/orders",
    "acme/or ders",
    "acme/orders\n",
    "git@host.example:o/r.git",
    "ssh://git@host.example/o/r.git",
    "https://user:secret@host.example/r.git",
    "https://token@host.example/r.git",
    "https://host.example/r.git#main",
    "https://host.example/r.git?x=1",
    "git+https://host.example/r.git",
    "ftp://host.example/r.git",
    "ext::sh -c id",
    "--receive-pack=x",
    "javascript:alert(1)",
  ])("refuses %j", (text) => {
    expect(parseTargetRepository(text, development)).toEqual({ problem: expect.any(String) });
  });

  it.each([
    "file:///srv/x.git",
    "http://host.example/r.git",
    "https://localhost/r.git",
    "https://169.254.169.254/r",
    "https://[::1]/r",
  ])("refuses %s in production", (text) => {
    expect(parseTargetRepository(text, production)).toEqual({ problem: expect.any(String) });
  });
});

describe("branch names", () => {
  it.each(["main", "feature/orders", "release-1.0", "ünï", "a@b", "x.y"])("takes %s", (name) => {
    expect(branchProblem(name)).toBeUndefined();
  });

  it.each([
    "",
    "-x",
    "HEAD",
    "@",
    "a..b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[b",
    "a\\b",
    "a\u0007",
    "a\u007f",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a.lock",
    "a.lock/b",
    "a.",
    "a@{b",
    "refs/heads/x",
    "x".repeat(300),
  ])("refuses %j", (name) => {
    expect(branchProblem(name)).toEqual(expect.any(String));
  });
});
