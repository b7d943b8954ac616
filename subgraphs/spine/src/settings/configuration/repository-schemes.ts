import { DomainError } from "@factory/runtime/errors/domain-error";

const key = "scaffold.repositoryBase";

/** Refuses a base whose scheme no execution target may have here. */
export class RepositorySchemes {
  readonly #schemes: readonly string[];

  /** `schemes`: for example `https`, without the colon. */
  constructor(schemes: readonly string[]) {
    this.#schemes = schemes;
  }

  /** Throws CONFIGURATION_INVALID. The value fits the setting's schema already. */
  require(settingKey: string, value: unknown, pointer = "/input/value"): void {
    if (settingKey !== key || typeof value !== "string") return;
    if (this.#schemes.includes(value.slice(0, value.indexOf(":")))) return;
    const allowedSchemes = this.#schemes.join(" or ");
    throw new DomainError("CONFIGURATION_INVALID", {
      detail: `This platform pushes scaffolds by ${allowedSchemes} only, so ${key} cannot have another scheme.`,
      errors: [{ pointer, code: "UNKNOWN_VALUE", detail: `The scheme must be ${allowedSchemes}.` }],
    });
  }
}
