import { type Framework, parseFramework } from "@factory/nuget/framework";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { frameworkDetail } from "./nuget-details.js";

/** Parses the moniker at a JSON pointer of the request. Throws RUNTIME_NOT_RECOGNISED where it is not known. */
export function requireFramework(moniker: string, pointer: string): Framework {
  const framework = parseFramework(moniker);
  if (framework) return framework;
  const detail = frameworkDetail(moniker);
  throw new DomainError("RUNTIME_NOT_RECOGNISED", { detail, errors: [{ pointer, code: "UNKNOWN_VALUE", detail }] });
}
