import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { type ProblemFacts, type ProblemMember, problemMembers } from "@factory/schema/problem-members";
import { BadRequest, ErrorInfo, Status as RichStatus } from "@factory/schema/proto/generated/factory/rpc/v1/status";
import { Status } from "nice-grpc-common";
import { DomainError, type ErrorFacts } from "../errors/domain-error.js";
import { outageRefusal } from "../errors/unavailable.js";

/** The domain for the error codes in google.rpc.ErrorInfo. */
const errorDomain = "factory.platform";
export const detailsKey = "grpc-status-details-bin";
/** The trailer with the seconds after which a refused call may succeed. */
export const retryAfterKey = "retry-after";

const infoType = "type.googleapis.com/google.rpc.ErrorInfo";
const badRequestType = "type.googleapis.com/google.rpc.BadRequest";
/** Trailers count as headers, and a peer may refuse headers above 8 KiB. */
const maxDetailsBytes = 6 * 1024;
const maxMessageCharacters = 500;

/** A refusal as a gRPC status: code, message and encoded details. */
export interface WireStatus {
  readonly reason: ErrorCode;
  readonly code: Status;
  readonly message: string;
  readonly details: Uint8Array;
  /** When the refusal may pass, if that is known. */
  readonly retryAfterSeconds: number | undefined;
}

const statusOfHttp: Readonly<Record<number, Status>> = {
  400: Status.INVALID_ARGUMENT,
  401: Status.UNAUTHENTICATED,
  403: Status.PERMISSION_DENIED,
  404: Status.NOT_FOUND,
  405: Status.UNIMPLEMENTED,
  408: Status.DEADLINE_EXCEEDED,
  413: Status.RESOURCE_EXHAUSTED,
  422: Status.INVALID_ARGUMENT,
  429: Status.RESOURCE_EXHAUSTED,
  500: Status.INTERNAL,
  501: Status.UNIMPLEMENTED,
  502: Status.UNAVAILABLE,
  503: Status.UNAVAILABLE,
  504: Status.DEADLINE_EXCEEDED,
};

/** The error code for a status without the platform's details. */
const codeOfStatus: Partial<Record<Status, ErrorCode>> = {
  [Status.UNAVAILABLE]: "UNAVAILABLE",
  [Status.DEADLINE_EXCEEDED]: "UPSTREAM_TIMEOUT",
  [Status.RESOURCE_EXHAUSTED]: "PAYLOAD_TOO_LARGE",
};

/** The status for an error. A defect becomes INTERNAL without its message. */
export function toWireStatus(error: unknown): WireStatus {
  const refusal = asRefusal(error);
  const { detail, errors = [], ...rest } = refusal.facts;
  const { status, title } = errorCodes[refusal.code];
  const code = statusOfHttp[status ?? 409] ?? Status.FAILED_PRECONDITION;
  const message = wellFormed((detail ?? title).slice(0, maxMessageCharacters));
  const info = ErrorInfo.encode({ reason: refusal.code, domain: errorDomain, metadata: metadataOf(rest) }).finish();
  const violations = BadRequest.encode({
    fieldViolations: errors.map(({ pointer, code: reason, detail: description }) => ({
      field: pointer,
      description,
      reason,
    })),
  }).finish();
  const encode = (details: { typeUrl: string; value: Uint8Array }[]) =>
    RichStatus.encode({ code, message, details }).finish();
  const all = encode([
    { typeUrl: infoType, value: info },
    ...(errors.length > 0 ? [{ typeUrl: badRequestType, value: violations }] : []),
  ]);
  const bare = ErrorInfo.encode({ reason: refusal.code, domain: errorDomain, metadata: {} }).finish();
  const details = all.length <= maxDetailsBytes ? all : encode([{ typeUrl: infoType, value: bare }]);
  const { retryAfterSeconds } = rest;
  return {
    ...{ reason: refusal.code, code, message, details },
    retryAfterSeconds: typeof retryAfterSeconds === "number" ? retryAfterSeconds : undefined,
  };
}

/** Replaces lone surrogates, with which grpc-js cannot send a status. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function asRefusal(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return outageRefusal(error) ?? new DomainError("INTERNAL", { detail: "An internal error occurred." });
}

function metadataOf(facts: ProblemFacts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, textOf(value)]),
  );
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The refusal for a peer's status. Without the platform's details, only the status code is used. */
export function fromWireStatus(code: Status, message: string, details: Uint8Array | undefined): DomainError {
  const wireDetails = details && readDetails(details);
  if (wireDetails) return new DomainError(wireDetails.reason, { ...wireDetails.facts, detail: message });
  const errorCode = codeOfStatus[code];
  return errorCode
    ? new DomainError(errorCode, { detail: errorCodes[errorCode].title })
    : new DomainError("UPSTREAM_FAILED", { detail: `The service answered ${Status[code] ?? code}.` });
}

function readDetails(bytes: Uint8Array): { reason: ErrorCode; facts: ErrorFacts } | undefined {
  try {
    const { details } = RichStatus.decode(bytes);
    const infoDetail = details.find(({ typeUrl }) => typeUrl === infoType);
    const info = infoDetail && ErrorInfo.decode(infoDetail.value);
    if (info?.domain !== errorDomain || !isErrorCode(info.reason)) return undefined;
    const errors = details
      .filter(({ typeUrl }) => typeUrl === badRequestType)
      .flatMap(({ value }) => BadRequest.decode(value).fieldViolations)
      .map(({ field, description, reason }) => ({ pointer: field, code: reason, detail: description }));
    return { reason: info.reason, facts: { ...factsOf(info.metadata), ...(errors.length > 0 ? { errors } : {}) } };
  } catch {
    // Unreadable details are ignored; the status code is enough.
    return undefined;
  }
}

/**
 * Metadata has texts only, so members with another type are there as JSON. Members from a peer with another release
 * stay texts.
 */
const factsOf = (metadata: Readonly<Record<string, string>>): ErrorFacts =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, isJson(name) ? valueOrText(value) : value]),
  );

function valueOrText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

const isJson = (name: string) =>
  Object.hasOwn(problemMembers, name) && problemMembers[name as ProblemMember] !== "text";

function isErrorCode(reason: string): reason is ErrorCode {
  return Object.hasOwn(errorCodes, reason);
}
