import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { nuspecOf } from "./nuspec.fixture.js";
import { readNuspec } from "./nuspec.js";

function read(text: string | Uint8Array) {
  const problems = new InputProblems("LIBRARY_PACKAGE_INVALID");
  const nuspec = readNuspec(typeof text === "string" ? Buffer.from(text) : text, problems);
  problems.refuse();
  return nuspec;
}

const refusalOf = (text: string | Uint8Array): { code: string; facts: { errors: { detail: string }[] } } => {
  try {
    read(text);
  } catch (error) {
    return error as never;
  }
  throw new Error("It was read");
};

const dependencies = (content: string) => nuspecOf(`<dependencies>${content}</dependencies>`);

describe("a nuspec", () => {
  it("says what the package is", () => {
    const text =
      nuspecOf(`<authors>Acme</authors><title>Orders</title><description>Keeps orders.</description><tags>orders  queue orders</tags>
      <packageTypes><packageType name="Dependency" /><packageType name="McpServer" version="1.0" /></packageTypes>`);
    expect(read(text)).toEqual({
      packageName: "Acme.Orders",
      version: "1.2.3",
      authors: "Acme",
      title: "Orders",
      description: "Keeps orders.",
      tags: ["orders", "queue"],
      packageTypes: ["Dependency", "McpServer"],
      dependencies: [],
      dependencyGroups: [],
      license: null,
    });
  });

  it.each([
    [
      "an expression",
      '<license type="expression">MIT OR Apache-2.0</license>',
      { kind: "Expression", value: "MIT OR Apache-2.0" },
    ],
    ["a file", '<license type="file">docs/LICENSE.txt</license>', { kind: "File", value: "docs/LICENSE.txt" }],
    [
      "a page",
      "<licenseUrl>https://example.com/license</licenseUrl>",
      { kind: "Url", value: "https://example.com/license" },
    ],
    [
      "an expression beside the address for old clients",
      '<license type="expression">MIT</license><licenseUrl>https://licenses.nuget.org/MIT</licenseUrl>',
      { kind: "Expression", value: "MIT" },
    ],
    ["nothing in an address that replaces a file", "<licenseUrl>https://aka.ms/deprecateLicenseUrl</licenseUrl>", null],
    ["nothing of an unknown type", '<license type="other">MIT</license>', null],
    ["nothing in an empty element", '<license type="expression"> </license>', null],
    ["nothing in an address that is no page", "<licenseUrl>javascript:alert(1)</licenseUrl>", null],
    ["nothing in a text that is too long", `<license type="expression">${"M".repeat(3000)}</license>`, null],
  ])("states its license as %s", (_, metadata, license) => {
    expect(read(nuspecOf(metadata)).license).toEqual(license);
  });

  it.each([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${nuspecOf("")}`)],
    ["UTF-16", Buffer.from(`\ufeff${nuspecOf("")}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\ufeff${nuspecOf("")}`, "utf16le").swap16()],
    [
      "another namespace, with a prefix",
      Buffer.from(
        '<n:package xmlns:n="urn:n"><n:metadata><n:id>Acme.Orders</n:id><n:version>1.2.3</n:version></n:metadata></n:package>',
      ),
    ],
    [
      "CDATA and references",
      Buffer.from(
        "<package><metadata><id><![CDATA[Acme]]>&#46;Orders</id><version> 1.2.3 </version></metadata></package>",
      ),
    ],
  ])("is read from %s", (_, bytes) => {
    expect(read(bytes)).toMatchObject({ packageName: "Acme.Orders", version: "1.2.3" });
  });

  it("keeps the dependency groups apart, the empty ones too", () => {
    const text = dependencies(`
      <group targetFramework=".NETStandard2.0"><dependency id="A" version="[1.0, 2.0)" exclude="Build" /></group>
      <group targetFramework="net8.0" />
      <group><dependency id="B" /></group>`);
    expect(read(text)).toMatchObject({
      dependencies: [
        { packageName: "A", range: "[1.0, 2.0)", targetFramework: "netstandard2.0" },
        { packageName: "B", range: null, targetFramework: "any" },
      ],
      dependencyGroups: ["netstandard2.0", "net8.0", "any"],
    });
  });

  it.each([
    ["a list", '<dependency id="A" version="1.0" />'],
    ["a single group without a framework", '<group><dependency id="A" version="1.0" /></group>'],
  ])("has dependencies on every framework in %s", (_, content) => {
    expect(read(dependencies(content))).toMatchObject({
      dependencies: [{ packageName: "A", range: "1.0", targetFramework: null }],
      dependencyGroups: [],
    });
  });

  it("is not read beside its groups", () => {
    const text = dependencies('<dependency id="A" /><group targetFramework="net8.0"><dependency id="B" /></group>');
    expect(read(text).dependencies.map(({ packageName }) => packageName)).toEqual(["B"]);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ["XML that is not well-formed", "<package><metadata></package>", /not well-formed/],
    ["nothing", "", /not well-formed|no XML element/],
    [
      "a document type",
      `<!DOCTYPE package [<!ENTITY x "y">]>${nuspecOf("&x;")}`.replace(/<\?.*?\?>/, ""),
      /document type/,
    ],
    ["an external entity", `<!DOCTYPE p SYSTEM "file:///etc/passwd"><package/>`, /document type/],
    ["an entity that nobody declared", nuspecOf("<tags>&secret;</tags>"), /not well-formed/],
    ["another root", "<project/>", /no <package> element/],
    ["bytes that are no text", Uint8Array.of(0xc3, 0x28), /not valid text/],
    ["elements within elements without end", "<a>".repeat(10_000), /more than 32 levels/],
    ["no id", "<package><metadata><version>1.0</version></metadata></package>", /has no id/],
    ["an id that is none", nuspecOf("", { id: "../up" }), /not a valid NuGet package ID/],
    ["a version that is a placeholder", nuspecOf("", { version: "$version$" }), /not a valid NuGet version/],
    ["an unknown framework", dependencies('<group targetFramework="gameboy1.0" />'), /"gameboy1.0" is not a known/],
    ["a range that is none", dependencies('<dependency id="A" version="[2,1]" />'), /not a valid NuGet version range/],
    ["a dependency without an id", dependencies("<dependency />"), /A dependency has an id that is not valid. ""/],
  ])("is refused with %s", (_, text, says) => {
    const { code, facts } = refusalOf(text);
    expect(code).toBe("LIBRARY_PACKAGE_INVALID");
    expect(facts.errors.map(({ detail }) => detail).join("\n")).toMatch(says);
  });

  it("names everything that is wrong at once", () => {
    const text = nuspecOf('<dependencies><dependency id="a b" version="x" /></dependencies>', {
      id: "?",
      version: "?",
    });
    expect(refusalOf(text).facts.errors).toHaveLength(4);
  });
});
