import { checkMaterial } from "./secret-material.js";

const hostsRefusal = expect.objectContaining({
  facts: expect.objectContaining({ errors: [expect.objectContaining({ pointer: "/input/secret/hosts" })] }),
});
const check = (hosts: unknown, kind: "BearerToken" | "ApiKey" | "Custom" = "BearerToken") =>
  checkMaterial(kind, { token: "sesame", hosts });

describe("the members of a secret", () => {
  const problems = (kind: "OAuth2Client" | "ApiKey", secret: Record<string, unknown>) => {
    try {
      checkMaterial(kind, secret);
    } catch (error) {
      const { errors } = (error as { facts: { errors: { pointer: string; code: string }[] } }).facts;
      return errors.map(({ pointer, code }) => `${pointer} ${code}`);
    }
    return [];
  };

  it("of an ApiKey have at least one that calls use", () => {
    for (const name of ["apiKey", "key", "token"]) expect(problems("ApiKey", { [name]: "k" })).toEqual([]);
    expect(problems("ApiKey", { value: "k" })).toEqual(["/input/secret REQUIRED"]);
    expect(problems("ApiKey", { apiKey: "" })).toEqual(["/input/secret/apiKey FORMAT"]);
  });

  it("of an OAuth2Client are only a clientId for a public client", () => {
    expect(problems("OAuth2Client", { clientId: "a" })).toEqual([]);
    expect(problems("OAuth2Client", { clientId: "a", clientSecret: "b" })).toEqual([]);
    expect(problems("OAuth2Client", { clientSecret: "b" })).toEqual(["/input/secret/clientId FORMAT"]);
  });
});

describe("the hosts that a secret is for", () => {
  it.each([
    [["git.example"]],
    [["Git.Example:8443", "127.0.0.1:80", "[2606:4700::1]"]],
    [["bücher.example", "bücher.example:8443"]],
    [undefined],
  ])("may be %j", (hosts) => {
    expect(() => check(hosts)).not.toThrow();
  });

  it.each([
    ["git.example"],
    [[]],
    [[7]],
    [["https://git.example"]],
    [["git.example/o"]],
    [["user@git.example"]],
    [["*.example"]],
    [["git.example:x"]],
    [["a b"]],
    [["bü cher.example"]],
    [["bücher.example/o"]],
    [["ü@bücher.example"]],
    [[""]],
  ])("may not be %j", (hosts) => {
    expect(() => check(hosts)).toThrow(hostsRefusal as unknown as Error);
    expect(() => check(hosts, "ApiKey")).toThrow(hostsRefusal as unknown as Error);
  });

  it("mean what they like to a custom secret", () => {
    expect(() => check("a,b", "Custom")).not.toThrow();
  });
});
