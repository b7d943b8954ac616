import { build, type PluginBuild } from "esbuild";
import { withCheaperNames } from "./kept-names.js";

describe("the names of bundled functions", () => {
  it("are those of the sources, also where the bundle renames a class", async () => {
    const contents = `
      import { Note as Other } from "./other";
      class Note {}
      const closure = () => {};
      export const names = [Note.name, Other.name, closure.name];`;
    const other = { name: "other", setup };
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: "/" },
      ...{ bundle: true, write: false, format: "esm", keepNames: true, minifyWhitespace: true, plugins: [other] },
    });
    const texts = outputFiles.map(({ text }) => text);
    expect(texts.join()).toContain("Note2");
    const load = async (text = "") => (await import(`data:text/javascript,${encodeURIComponent(text)}`)).names;
    const [cheaperText = ""] = withCheaperNames(texts);
    expect(cheaperText).toContain("target.name===value");
    expect(await load(cheaperText)).toEqual(["Note", "Note", "closure"]);
    expect(await load(texts[0])).toEqual(["Note", "Note", "closure"]);
  });

  it("are not guessed where esbuild writes its helper in another way", () => {
    expect(() => withCheaperNames(["var __name=1;"])).toThrow("has changed");
  });
});

function setup(bundler: PluginBuild): void {
  bundler.onResolve({ filter: /other/ }, () => ({ path: "other", namespace: "other" }));
  bundler.onLoad({ filter: /.*/, namespace: "other" }, () => ({ contents: "export class Note {}" }));
}
