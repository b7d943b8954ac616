import type { DomainError } from "@factory/runtime/errors/domain-error";
import type { Finding } from "@factory/template-engine/finding";

const codes: Readonly<Record<string, string>> = { SOURCE_UNSAFE: "SourceUnsafe", SOURCE_TOO_LARGE: "SourceTooLarge" };

/** The source rules' messages, and the finding code for each. */
const unsafe: readonly { says: RegExp; code: string; suggestion: string }[] = [
  { says: /is a symbolic link/, code: "SymlinkNotAllowed", suggestion: "Replace the link with the file itself." },
  {
    says: /is a submodule/,
    code: "SubmoduleNotAllowed",
    suggestion: "Copy the files of the submodule into the repository.",
  },
  { says: /differ only in case|is there twice/, code: "CaseCollision", suggestion: "Rename or remove one of the two." },
  { says: /reserved name/, code: "ReservedFileName", suggestion: "Rename or remove the file." },
  { says: /^The path /, code: "PathTraversal", suggestion: "Rename or remove the file." },
];

/** The finding for a source that cannot be read: the template is at fault, and not the request. */
export function sourceFinding(check: string, error: DomainError): Finding {
  const rule = error.code === "SOURCE_UNSAFE" ? unsafe.find(({ says }) => says.test(error.message)) : undefined;
  const { paths } = error.facts as { paths?: readonly string[] };
  return {
    check,
    severity: "Error",
    code: rule?.code ?? codes[error.code] ?? "SourceUnavailable",
    message: error.message,
    path: paths?.at(-1) ?? null,
    pointer: null,
    line: null,
    column: null,
    suggestion: rule?.suggestion ?? null,
  };
}
