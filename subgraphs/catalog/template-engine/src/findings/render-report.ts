interface RenderWarning {
  code: string;
  message: string;
}

/** Collects a render's warnings, each one once. */
export class RenderReport {
  readonly warnings: RenderWarning[] = [];
  readonly #seen = new Set<string>();

  warn(code: string, message: string): void {
    const key = `${code}\0${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.warnings.push({ code, message });
  }
}
