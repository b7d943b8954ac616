import { repositoryNameProblem } from "../../git/repositories/port/repository-name.js";

/**
 * A request's target repository for a tenant with this `scaffold.repositoryBase`: the shorthand `owner/name` is
 * appended to the base as the caller wrote it, with or without `.git`. A URL stays, and so does a malformed shorthand,
 * which is refused later.
 */
export function withRepositoryBase(repository: string, base: string | null): string {
  if (base === null || repository.includes(":")) return repository;
  const [owner = "", name = "", ...more] = repository.split("/");
  const names = [owner, name.replace(/\.git$/i, "")];
  if (more.length > 0 || names.some((part) => repositoryNameProblem(part) !== undefined)) return repository;
  return `${base.replace(/\/+$/, "")}/${repository}`;
}
