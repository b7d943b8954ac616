import { type Framework, frameworkName, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";

/** Stands for a version without target frameworks, which runs everywhere. */
const anyFramework = "*";

const maxPairs = 10_000;

/** Whether a project with one framework can use another one; computed once for each pair. */
export class FrameworkSupport {
  readonly #known = new Map<string, boolean>();

  /** The monikers whose assets a project can use, and the mark of versions that run everywhere. */
  usableFrom(project: Framework, monikers: readonly string[]): string[] {
    return [anyFramework, ...monikers.filter((moniker) => this.#canUse(project, moniker))];
  }

  #canUse(project: Framework, moniker: string): boolean {
    const pair = `${frameworkName(project)} ${moniker}`;
    const storedAnswer = this.#known.get(pair);
    if (storedAnswer !== undefined) return storedAnswer;
    const asset = parseFramework(moniker);
    const compatible = asset !== undefined && isCompatible(project, asset);
    if (this.#known.size >= maxPairs) this.#known.clear();
    this.#known.set(pair, compatible);
    return compatible;
  }
}
