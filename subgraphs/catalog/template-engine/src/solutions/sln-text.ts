import { projectName, projectType, type SolutionEntry, samePath, solutionFolderType } from "./solution-entry.js";

interface ListedProject {
  type: string;
  name: string;
  path: string;
  id: string;
}

const projectLine = /^\s*Project\("\{([^}]*)\}"\)\s*=\s*"([^"]*)",\s*"([^"]*)",\s*"\{([^}]*)\}"/;

// the .NET tools add these to a solution without configurations
const standardConfigurations = ["Debug", "Release"].flatMap((kind) =>
  ["Any CPU", "x64", "x86"].map((platform) => `${kind}|${platform}`),
);

/** Adds a project to a .sln file's text, unless it is listed already; undefined when the text is not a solution. */
export function withProjectInText(
  text: string,
  entry: SolutionEntry,
  newId: (folder: string) => string,
): string | undefined {
  if (!text.includes("Microsoft Visual Studio Solution File")) return undefined;
  const solution = new SolutionText(text);
  solution.add(entry, newId);
  return solution.toString();
}

class SolutionText {
  readonly #lines: string[];
  readonly #newLine: string;

  constructor(text: string) {
    this.#newLine = text.includes("\r\n") ? "\r\n" : "\n";
    this.#lines = text.split(/\r?\n/);
  }

  toString(): string {
    return this.#lines.join(this.#newLine);
  }

  add(entry: SolutionEntry, newId: (folder: string) => string): void {
    if (this.#listed().some(({ path }) => samePath(path, entry.path))) return;
    const parent = this.#folder(entry.folders, newId);
    const path = entry.path.replaceAll("/", "\\");
    this.#addProject({ type: projectType(path).id, name: projectName(entry.path), path, id: entry.id });
    this.#addConfigurations(entry.id);
    if (parent !== null) this.#insert("NestedProjects", "preSolution", [`{${entry.id}} = {${parent}}`]);
  }

  #listed(): ListedProject[] {
    return this.#lines.flatMap((line) => {
      const match = projectLine.exec(line);
      if (match === null) return [];
      const [, type = "", name = "", path = "", id = ""] = match;
      return [{ type, name, path, id }];
    });
  }

  /** The innermost solution folder's id; missing folders are added. */
  #folder(names: readonly string[], newId: (folder: string) => string): string | null {
    const nesting = this.#nesting();
    let parent: string | null = null;
    names.forEach((name, depth) => {
      const existing = this.#listed().find(
        (entry) =>
          entry.type.toUpperCase() === solutionFolderType &&
          entry.name.toLowerCase() === name.toLowerCase() &&
          (nesting.get(entry.id.toUpperCase()) ?? null) === parent,
      );
      const id = existing?.id.toUpperCase() ?? newId(names.slice(0, depth + 1).join("/"));
      if (existing === undefined) {
        this.#addProject({ type: solutionFolderType, name, path: name, id });
        if (parent !== null) this.#insert("NestedProjects", "preSolution", [`{${id}} = {${parent}}`]);
      }
      parent = id;
    });
    return parent;
  }

  #nesting(): Map<string, string> {
    const pairs = this.#section("NestedProjects").map((line) => /^\{([^}]*)\}\s*=\s*\{([^}]*)\}/.exec(line.trim()));
    return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? "", pair[2] ?? ""].map(upper) as Pair] : [])));
  }

  /** Inserts after the last project, or before the global part. */
  #addProject({ type, name, path, id }: ListedProject): void {
    const last = this.#lines.findLastIndex((line) => line.trim() === "EndProject");
    const at = last === -1 ? this.#globalStart() : last + 1;
    this.#lines.splice(at, 0, `Project("{${type}}") = "${name}", "${path}", "{${id}}"`, "EndProject");
  }

  #addConfigurations(id: string): void {
    let configurations = this.#section("SolutionConfigurationPlatforms").map((line) =>
      (line.split("=")[0] ?? "").trim(),
    );
    if (configurations.length === 0) {
      configurations = standardConfigurations;
      this.#insert(
        "SolutionConfigurationPlatforms",
        "preSolution",
        configurations.map((configuration) => `${configuration} = ${configuration}`),
      );
    }
    const lines = configurations.flatMap((configuration) => {
      // a new project has two configurations and one platform
      const target = `${configuration.startsWith("Release|") ? "Release" : "Debug"}|Any CPU`;
      return [`{${id}}.${configuration}.ActiveCfg = ${target}`, `{${id}}.${configuration}.Build.0 = ${target}`];
    });
    this.#insert("ProjectConfigurationPlatforms", "postSolution", lines);
  }

  #section(name: string): string[] {
    const { start, end } = this.#sectionPlace(name);
    return start === -1 ? [] : this.#lines.slice(start + 1, end).filter((line) => line.trim() !== "");
  }

  #sectionPlace(name: string): { start: number; end: number } {
    const start = this.#lines.findIndex((line) => line.trim().startsWith(`GlobalSection(${name})`));
    const end = start === -1 ? -1 : this.#lines.findIndex((line, at) => at > start && isEnd(line));
    return { start, end: end === -1 ? start + 1 : end };
  }

  #insert(section: string, phase: string, entries: readonly string[]): void {
    const { start, end } = this.#sectionPlace(section);
    const lines = entries.map((entry) => `\t\t${entry}`);
    if (start !== -1) {
      this.#lines.splice(end, 0, ...lines);
      return;
    }
    this.#lines.splice(this.#globalEnd(), 0, `\tGlobalSection(${section}) = ${phase}`, ...lines, "\tEndGlobalSection");
  }

  /** The line with `Global`, or the end of the text before its last line end. */
  #globalStart(): number {
    const at = this.#lines.findIndex((line) => line.trim() === "Global");
    return at === -1 ? this.#textEnd() : at;
  }

  #globalEnd(): number {
    const index = this.#lines.findLastIndex((line) => line.trim() === "EndGlobal");
    if (index !== -1) return index;
    const at = this.#textEnd();
    this.#lines.splice(at, 0, "Global", "EndGlobal");
    return at + 1;
  }

  #textEnd(): number {
    const last = this.#lines.findLastIndex((line) => line.trim() !== "");
    if (last === this.#lines.length - 1) this.#lines.push("");
    return last + 1;
  }
}

type Pair = [string, string];

function upper(text: string): string {
  return text.toUpperCase();
}

function isEnd(line: string): boolean {
  return line.trim() === "EndGlobalSection";
}
