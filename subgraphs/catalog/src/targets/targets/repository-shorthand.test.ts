import { withRepositoryBase } from "./repository-shorthand.js";

describe("the base of target repositories", () => {
  it.each([
    ["acme/orders", "https://git.example", "https://git.example/acme/orders"],
    ["acme/Orders.Api.git", "https://git.example/scm/", "https://git.example/scm/acme/Orders.Api.git"],
    ["acme/orders", "file:///srv/git//", "file:///srv/git/acme/orders"],
  ])("stands before the shorthand %s: %s", (repository, base, expectedRepository) => {
    expect(withRepositoryBase(repository, base)).toBe(expectedRepository);
  });

  it.each([
    ["a URL", "https://other.example/acme/orders.git"],
    ["an address of scp", "git@git.example:acme/orders"],
    ["a path out of the base", "../orders"],
    ["a path with more parts", "acme/orders/../../etc"],
    ["an encoded path", "acme/%2e%2e"],
    ["a query", "acme/orders?x=y"],
    ["a name alone", "orders"],
  ])("does not change %s", (_, repository) => {
    expect(withRepositoryBase(repository, "https://git.example/")).toBe(repository);
  });

  it("is absent in a tenant that uses the git store of the platform", () => {
    expect(withRepositoryBase("acme/orders", null)).toBe("acme/orders");
  });
});
