import { DomainError } from "@factory/runtime/errors/domain-error";
import type { SourceControlForm } from "../../providers/provider-drivers/source-control-form.js";

/** A repository at a vendor: its names, and the URL that git uses. */
export interface RepositoryPlace {
  /** The whole name, for example `owner/name`. */
  readonly repository: string;
  readonly owner: string;
  readonly name: string;
  readonly gitUrl: URL;
}

const nameForm = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9_-])?$/;

/**
 * The place where a repository is. Its host is the base URL's, or the one that the form has for it. Throws
 * TARGET_INVALID.
 */
export function repositoryPlace(form: SourceControlForm, baseUrl: string, text: string): RepositoryPlace {
  const names = text.replace(/\.git$/i, "").split("/");
  if (names.length < 2 || names.length > form.maxNames || !names.every((name) => nameForm.test(name)))
    throw invalid(
      form.maxNames === 2
        ? "The repository of a connection is owner/name, for example acme/orders."
        : "The repository of a connection is group/name or group/subgroup/name.",
    );
  const { origin } = new URL(baseUrl);
  const gitOrigin = Object.hasOwn(form.gitOrigins, origin) ? form.gitOrigins[origin] : origin;
  return {
    repository: names.join("/"),
    owner: names.slice(0, -1).join("/"),
    name: names.at(-1) ?? "",
    gitUrl: new URL(`/${names.join("/")}.git`, gitOrigin),
  };
}

function invalid(detail: string): DomainError {
  const errors = [{ pointer: "/target/repository", code: "FORMAT", detail }];
  return new DomainError("TARGET_INVALID", { detail, errors });
}
