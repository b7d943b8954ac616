import { TemplateError } from "../findings/template-error.js";
import { tree } from "../rendering/template-pack.fixture.js";
import { loadTemplatePack } from "./template-pack.js";

const template = (identity: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ identity, name: identity, shortName: identity.toLowerCase(), ...more });
const group = (language: string, precedence = 0) => ({
  groupIdentity: "Acme.Service",
  shortName: "acme-service",
  precedence: String(precedence),
  tags: { language, type: "project" },
});
const pack = tree({
  "service-cs/.template.config/template.json": template("Acme.Service.CSharp", group("C#")),
  "service-cs-2/.template.config/template.json": template("Acme.Service.CSharp.2", group("C#", 10)),
  "service-fs/.template.config/template.json": template("Acme.Service.FSharp", group("F#")),
  "controller/.template.config/template.json": template("Acme.Controller", { tags: { language: "C#", type: "item" } }),
  "broken/.template.config/template.json": "{",
});
const rootFor = (choice: Parameters<typeof loadTemplatePack>[1]) => loadTemplatePack(pack, choice).root;

describe("choosing a template of a package", () => {
  it.each([
    [{ identity: "Acme.Service.CSharp" }, "service-cs"],
    [{ identity: "acme.service.fsharp" }, "service-fs"],
    [{ identity: "acme-service", language: "F#" }, "service-fs"],
    [{ identity: "acme-service" }, "service-cs-2"],
    [{ identity: "Acme.Service", language: "c#" }, "service-cs-2"],
    [{ type: "item" }, "controller"],
    [{ language: "F#" }, "service-fs"],
    [{ identity: "acme.controller", language: "C#", type: "Item" }, "controller"],
  ])("%j", (choice, root) => {
    expect(rootFor(choice)).toBe(root);
  });

  it.each([
    [{}, "TemplateAmbiguous"],
    [{ language: "C#" }, "TemplateAmbiguous"],
    [{ identity: "Acme.Service.CSharp", language: "F#" }, "TemplateNotFound"],
    [{ identity: "nothing" }, "TemplateNotFound"],
  ])("%j names the candidates: %s", (choice, code) => {
    const error = (() => {
      try {
        return rootFor(choice);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(TemplateError);
    expect(error).toMatchObject({
      findings: [{ code }],
      message: expect.stringContaining("controller (Acme.Controller, C#, item)"),
    });
  });

  it("looks at the top and below it when it is asked, and at the top only when it is not", () => {
    const twoLevels = tree({
      ".template.config/template.json": template("Outer"),
      "content/.template.config/template.json": template("Inner"),
    });
    expect(loadTemplatePack(twoLevels).root).toBe("");
    expect(loadTemplatePack(twoLevels, { identity: "Inner" }).root).toBe("content");
  });

  it("refuses a configuration of a size that no template has", () => {
    const large = tree({ ".template.config/template.json": `${" ".repeat(1024 * 1024)}{}` });
    expect(() => loadTemplatePack(large)).toThrow("larger than 1 MiB");
  });
});
