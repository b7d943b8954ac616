import { decideCondition } from "../conditions/evaluate-condition.js";
import { reportConstraints } from "../configuration/constraints.js";
import { parameterAliases, withoutAliases } from "../configuration/host-data.js";
import { sourcesOf, type TemplateSource } from "../configuration/template-config.js";
import type { TemplatePack } from "../configuration/template-pack.js";
import { maxOutputBytes } from "../content/byte-sink.js";
import { ContentRewriter } from "../content/content-rewriter.js";
import type { FileTree, TreeFile } from "../files/file-tree.js";
import { collidingPaths, unsafePath, visiblePath } from "../files/path-safety.js";
import { RenderReport } from "../findings/render-report.js";
import { renderFailed, type TemplateError, templateInvalid } from "../findings/template-error.js";
import { applyPostActions } from "../post-actions/post-actions.js";
import type { TargetEdit } from "../post-actions/target-edits.js";
import type { PatternLimits } from "../regular-expressions/pattern-time-limit.js";
import { resolveSymbols, type SymbolTable } from "../symbols/symbol-table.js";
import { noTarget, type TargetFiles } from "../target/target-files.js";
import { asBuffer } from "../text/encodings.js";
import { FileSelection } from "./file-selection.js";
import { PathRename } from "./path-rename.js";

/** A render's input; `seed` and `now` replace random numbers and the clock. */
export interface RenderRequest {
  name: string;
  parameters: Readonly<Record<string, unknown>>;
  seed: string;
  now: Date;
  /** The target framework that the template version states. It is only compared with the constraints. */
  targetFramework?: string;
  patternLimits?: PatternLimits | undefined;
  /** The place that the template is rendered into; by default an empty folder's root. */
  target?: TargetFiles;
}

/** A render's output. */
export interface RenderResult {
  files: Map<string, TreeFile>;
  primaryOutputs: string[];
  manualInstructions: { text: string; actionId: string | null }[];
  warnings: { code: string; message: string }[];
  /** Changes to the target's existing files. */
  edits: TargetEdit[];
}

const placeholderNames = ["-.-", "_._"];

/** Renders a template. The same pack and request give the same bytes. Throws a TemplateError. */
export function render(pack: TemplatePack, request: RenderRequest): RenderResult {
  try {
    return new Rendering(pack, request).run();
  } catch (error) {
    // a hostile template can exceed the call stack or a string's maximum length
    if (error instanceof RangeError)
      throw renderFailed("The template cannot be rendered: a part of it nests too deeply, or a text becomes too long.");
    throw error;
  }
}

class Rendering {
  readonly #report = new RenderReport();
  readonly #files = new Map<string, TreeFile>();
  readonly #origins = new Map<string, string>();
  readonly #table: SymbolTable;
  readonly #rewriter: ContentRewriter;
  readonly #symbolRename: PathRename;
  #outputBytes = 0;
  readonly #pack: TemplatePack;
  readonly #request: RenderRequest;

  constructor(pack: TemplatePack, request: RenderRequest) {
    this.#pack = pack;
    this.#request = request;
    const { config } = pack;
    this.#table = resolveSymbols(config, { ...request, parameters: ownNames(pack, request.parameters) }, this.#report);
    this.#rewriter = new ContentRewriter(pack, this.#table, this.#report);
    const renames = this.#table.fileRenames.map(({ from, to }): [string, string] => [from, to]);
    const name: [string, string][] = config.sourceName === null ? [] : [[config.sourceName, request.name.trim()]];
    this.#symbolRename = new PathRename([...name, ...renames]);
  }

  run(): RenderResult {
    const { config } = this.#pack;
    for (const problem of config.problems) this.#report.warn(problem.code, problem.message);
    reportConstraints(config.constraints, this.#request.targetFramework, this.#report);
    const sources = sourcesOf(config);
    for (const source of sources) {
      if (decideCondition(source.condition, this.#table.variables, this.#report)) this.#take(source);
    }
    const primaryOutputs = this.#primaryOutputs();
    const rename = (path: string) => this.#symbolRename.apply(path);
    const target = this.#request.target ?? noTarget;
    const edits = new Map<string, TargetEdit>();
    const outcome = applyPostActions(config.postActions, {
      files: this.#files,
      origins: this.#origins,
      primaryOutputs,
      seed: this.#request.seed,
      variables: this.#table.variables,
      report: this.#report,
      rename,
      target,
      edits,
    });
    this.#checkCollisions();
    return {
      files: this.#placed(target.directory),
      primaryOutputs: primaryOutputs.map((path) => this.#outputPath(target.directory, path)),
      manualInstructions: outcome.manualInstructions,
      warnings: this.#report.warnings,
      edits: [...edits.values()],
    };
  }

  /** The produced files, by paths from the target's root. */
  #placed(directory: string): Map<string, TreeFile> {
    if (directory === "") return this.#files;
    return new Map(Array.from(this.#files, ([path, file]) => [this.#outputPath(directory, path), file]));
  }

  #take(source: TemplateSource): void {
    const { folder, files } = this.#sourceFolder(source.source);
    const target = this.#targetOf(source.target);
    const selection = new FileSelection(source, this.#pack.files, this.#table.variables, this.#report);
    const sourceRename = new PathRename(selection.rename);
    let hasFile = false;
    for (const [path, file] of files) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
      hasFile = true;
      const relative = folder === "" ? path : path.slice(folder.length + 1);
      const disposition = selection.dispositionOf(relative);
      if (disposition === "excluded" || this.#isPlaceholder(relative)) continue;
      const output = this.#outputPath(target, this.#symbolRename.apply(sourceRename.apply(relative)));
      const bytes = disposition === "copied" ? file.bytes : this.#rewriter.rewrite(relative, file.bytes);
      const earlier = this.#files.get(output);
      if (earlier !== undefined && !asBuffer(earlier.bytes).equals(bytes)) {
        this.#report.warn("OutputReplaced", `"${output}" is produced more than once. The last file is used.`);
      }
      this.#count(bytes.length - (earlier?.bytes.length ?? 0));
      this.#files.set(output, { bytes, executable: file.executable });
      this.#origins.set(output, `${source.source.replace(/\/?$/, "/")}${relative}`);
    }
    if (!hasFile) this.#report.warn("SourceMissing", `The source "${source.source}" contains no files.`);
  }

  /** A source's folder, in the template or beside it in the same package. */
  #sourceFolder(source: string): { folder: string; files: FileTree } {
    const { root, files, packageFiles } = this.#pack;
    const inside = resolved(source);
    if (inside !== undefined) return { folder: inside, files };
    const beside = root === "" || /^[\\/]/.test(source) ? undefined : resolved(`${root}/${source}`);
    if (beside !== undefined) return { folder: beside, files: packageFiles };
    throw templateInvalid("SourceOutsidePackage", `The source "${source}" is outside of the package.`, {
      pointer: "/sources",
    });
  }

  #count(bytes: number): void {
    this.#outputBytes += bytes;
    if (this.#outputBytes > maxOutputBytes) throw renderFailed(`The output is larger than ${maxOutputBytes} bytes.`);
  }

  #targetOf(target: string): string {
    const { sourceName } = this.#pack.config;
    return sourceName === null ? target : target.replaceAll(sourceName, () => this.#request.name.trim());
  }

  #isPlaceholder(path: string): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const { placeholderFilename } = this.#pack.config;
    return placeholderFilename === null ? placeholderNames.includes(name) : placeholderFilename === name;
  }

  #outputPath(target: string, relative: string): string {
    if (target.startsWith("/") || relative.startsWith("/")) throw unsafe(`${target} ${relative}`, "is absolute");
    const parts = `${target}/${relative}`.split("/").filter((part) => part !== "" && part !== ".");
    const path = parts.join("/");
    const reason = unsafePath(path);
    if (reason !== undefined) throw unsafe(path, reason);
    return path;
  }

  /** Refuses a path that is a file and a folder. Paths that collide on some file systems are only reported. */
  #checkCollisions(): void {
    for (const path of this.#files.keys()) {
      for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
        const folder = path.slice(0, end);
        if (this.#files.has(folder)) throw unsafe(path, `needs "${folder}" to be a folder, but it is a file`);
      }
    }
    for (const [first, second] of collidingPaths(this.#files.keys())) {
      this.#report.warn("OutputTwins", `"${first}" and "${second}" are the same path on some file systems.`);
    }
  }

  #primaryOutputs(): string[] {
    const paths: string[] = [];
    for (const output of this.#pack.config.primaryOutputs) {
      if (!decideCondition(output.condition, this.#table.variables, this.#report)) continue;
      const path = this.#outputPath("", this.#symbolRename.apply(output.path.replaceAll("\\", "/")));
      if (!this.#files.has(path)) {
        this.#report.warn("PrimaryOutputMissing", `The primary output "${path}" was not produced.`);
      }
      paths.push(path);
    }
    return paths;
  }
}

/** Replaces aliases with parameter names. A parameter that is given twice is refused. */
function ownNames(pack: TemplatePack, values: RenderRequest["parameters"]): RenderRequest["parameters"] {
  const { parameters, repeated } = withoutAliases(values, parameterAliases(pack.config, pack.host));
  if (repeated === null) return parameters;
  const { name, alias } = repeated;
  throw renderFailed(`The parameter "${name}" is given more than once: "${alias}" is another name for it.`, {
    pointer: `/parameters/${alias}`,
  });
}

function unsafe(path: string, reason: string): TemplateError {
  const label = visiblePath(path);
  return renderFailed(`The output path "${label}" ${reason}.`, { path: label });
}

/** The path without `.` and `..`; undefined when it is absolute or leads above its start. */
function resolved(path: string): string | undefined {
  const folders: string[] = [];
  if (/^[\\/]/.test(path)) return undefined;
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "..") {
      if (folders.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") {
      folders.push(part);
    }
  }
  return folders.join("/");
}
