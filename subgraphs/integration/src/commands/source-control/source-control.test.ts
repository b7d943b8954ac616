import { DomainError } from "@factory/runtime/errors/domain-error";
import { sourceControlForm } from "../../providers/providers/preset-source-control.js";
import { readPullRequest } from "./pull-request.js";
import { repositoryPlace } from "./repository-place.js";

const presets = ["github", "gitlab"] as const;

function formOf(preset: string) {
  const form = sourceControlForm(preset);
  if (!form) throw new Error(`There is no form for ${preset}.`);
  return form;
}

function placeOf(preset: string, baseUrl: string, repository: string): string {
  try {
    return repositoryPlace(formOf(preset), baseUrl, repository).gitUrl.href;
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

describe("the place of a repository", () => {
  it.each([
    ["github", "https://api.github.com", "acme/orders", "https://github.com/acme/orders.git"],
    ["github", "https://git.example/api/v3", "acme/orders.git", "https://git.example/acme/orders.git"],
    ["gitlab", "https://gitlab.com/api/v4", "acme/back/orders", "https://gitlab.com/acme/back/orders.git"],
    ["gitlab", "http://127.0.0.1:8080/api/v4", "a/b", "http://127.0.0.1:8080/a/b.git"],
  ])("of %s at %s for %s", (preset, baseUrl, repository, url) => {
    expect(placeOf(preset, baseUrl, repository)).toBe(url);
  });

  it("is refused for names that could lead elsewhere", () => {
    const hostile = [
      "orders",
      "",
      "/",
      "a/",
      "/b",
      "a/..",
      "../b",
      "a/.git",
      "a/-b",
      "a/b?c",
      "a/b#c",
      "a/b%2f",
      "a/b c",
    ];
    const more = ["a\\b/c", "a:b/c", "a@b/c", "a/b\n", "a/é", `a/${"b".repeat(101)}`, "https://x/y", "a//b"];
    for (const preset of presets)
      for (const text of [...hostile, ...more])
        expect([text, placeOf(preset, "https://git.example/api", text)]).toEqual([text, "TARGET_INVALID"]);
    expect(placeOf("github", "https://git.example", "a/b/c")).toBe("TARGET_INVALID");
    expect(placeOf("gitlab", "https://git.example", Array(21).fill("a").join("/"))).toBe("TARGET_INVALID");
    expect(sourceControlForm("constructor")).toBeUndefined();
  });
});

describe("a pull request of a vendor", () => {
  const pull = {
    ...{ number: 3, html_url: "https://git.example/3", state: "open", created_at: "2026-01-01T10:00:00Z" },
    ...{ updated_at: "2026-01-01T11:00:00Z", merged_at: null, closed_at: null },
    ...{ head: { ref: "a", repo: { full_name: "acme/orders" } }, base: { repo: { full_name: "acme/orders" } } },
  };
  const readGithub = (changes: object) =>
    readPullRequest(formOf("github"), formOf("github").answer, { ...pull, ...changes });

  it("is read with its state in the words of the platform", () => {
    expect(readGithub({})).toEqual({
      ...{ number: 3, url: "https://git.example/3", state: "Open", branch: "a", isOwnBranch: true },
      ...{ openedAt: "2026-01-01T10:00:00.000Z", changedAt: "2026-01-01T11:00:00.000Z" },
      ...{ mergedAt: null, closedAt: null },
    });
    expect(readGithub({ state: "closed" })).toMatchObject({ state: "Closed", closedAt: "2026-01-01T11:00:00.000Z" });
    expect(readGithub({ state: "closed", merged_at: "2026-01-01T12:00:00Z" })).toMatchObject({
      ...{ state: "Merged", mergedAt: "2026-01-01T12:00:00.000Z", closedAt: "2026-01-01T12:00:00.000Z" },
    });
    expect(readGithub({ head: { ref: "a", repo: { full_name: "mallory/orders" } } })).toMatchObject({
      isOwnBranch: false,
    });
    expect(readGithub({ head: { ref: "a", repo: null } })).toMatchObject({ isOwnBranch: false });
  });

  it.each([
    ["no number", { number: undefined }],
    ["a number that is too large", { number: 3_000_000_000 }],
    ["a negative number", { number: -1 }],
    ["an unknown state", { state: "constructor" }],
    ["a script as its address", { html_url: "javascript:alert(1)" }],
    ["no branch", { head: {} }],
  ])("is not read with %s", (_, changes) => {
    expect(readGithub(changes)).toBeUndefined();
  });

  it("is not read from anything else", () => {
    for (const payload of [null, "text", 7, [], {}, { number: 1 }])
      for (const preset of presets)
        expect(readPullRequest(formOf(preset), formOf(preset).delivery, payload)).toBeUndefined();
  });
});
