import { type Framework, frameworkName, parseFramework } from "@factory/nuget/framework";
import { isCompatible } from "@factory/nuget/framework-compatibility";

/** Stands for a version that names no framework. */
const anyFramework = "*";

const mostRemembered = 10_000;

/** Whether a project of one framework can consume another, decided once per pair. */
export class FrameworkSupport {
  readonly #decided = new Map<string, boolean>();

  /** The monikers that a project can consume, and the mark of what runs anywhere. */
  consumable(project: Framework, monikers: readonly string[]): string[] {
    return [anyFramework, ...monikers.filter((moniker) => this.#consumes(project, moniker))];
  }

  #consumes(project: Framework, moniker: string): boolean {
    const pair = `${frameworkName(project)} ${moniker}`;
    const known = this.#decided.get(pair);
    if (known !== undefined) return known;
    const asset = parseFramework(moniker);
    const decided = asset !== undefined && isCompatible(project, asset);
    if (this.#decided.size >= mostRemembered) this.#decided.clear();
    this.#decided.set(pair, decided);
    return decided;
  }
}
