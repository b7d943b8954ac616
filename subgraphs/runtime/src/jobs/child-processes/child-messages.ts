import type { ErrorCode } from "@factory/schema/error-codes";
import { type DatabaseFailure, databaseFailure } from "../../errors/database-failure.js";
import { DomainError, type ErrorFacts } from "../../errors/domain-error.js";
import { type FileFailure, fileFailure } from "../../errors/file-failure.js";

/** An error as it is sent between two processes. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | undefined;
  /** A DomainError's facts. */
  readonly facts?: ErrorFacts | undefined;
  readonly databaseFailure?: DatabaseFailure | undefined;
  readonly fileFailure?: FileFailure | undefined;
}

export type ToChild =
  | {
      readonly kind: "work";
      readonly settings: unknown;
      readonly payload: unknown;
      readonly attempt: { readonly attempt: number; readonly lastAttempt: boolean };
    }
  | { readonly kind: "abort" }
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: SentError };

export type FromChild =
  | { readonly kind: "ask"; readonly id: number; readonly question: unknown }
  | { readonly kind: "ended"; readonly error?: SentError };

export function sentError(error: unknown): SentError {
  const { name, message, stack, code } = (error instanceof Error ? error : new Error(String(error))) as Error & {
    code?: unknown;
  };
  return {
    name,
    message,
    stack,
    code: typeof code === "string" ? code : undefined,
    facts: error instanceof DomainError ? error.facts : undefined,
    databaseFailure: databaseFailure(error),
    fileFailure: fileFailure(error),
  };
}

export function receivedError({ message, facts, code, ...rest }: SentError): Error {
  if (facts) return new DomainError(code as ErrorCode, facts);
  const members = Object.entries({ ...rest, code }).filter(([, value]) => value !== undefined);
  return Object.assign(new Error(message), Object.fromEntries(members));
}
