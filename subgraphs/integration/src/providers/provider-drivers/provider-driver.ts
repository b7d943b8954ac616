import type { CallMethod, ClientAuthentication } from "@factory/schema/vocabularies/providers";
import type { TimeFormat } from "@factory/schema/vocabularies/signatures";
import type { SignatureScheme } from "../inbound-signatures/signature-scheme.js";
import type { CommandTemplates, MailServer } from "./command-template.js";
import type { VendorReport } from "./vendor-report.js";

/**
 * `header:x-name` (lower case), `body:/json/pointer` (RFC 6901), `form:Name`, or `text:value` for a value that is the
 * same in each delivery. Several paths with ` & ` between them give their values with dots between them, where each has
 * one.
 */
export type ValuePath = string;

/** How a provider's vendor is called, and how its deliveries are read. It holds no secret. */
export interface ProviderDriver {
  /** The request that shows whether a credential works. */
  readonly probe?: {
    readonly method: "GET" | "POST" | "HEAD";
    /** Relative to `baseUrl`, with a leading slash. */
    readonly path: string;
    /** Default: 200 to 299. */
    readonly okStatuses?: readonly number[];
    /** For vendors that answer 200 to a wrong credential too: the answer is good only if this value stands in it. */
    readonly expect?: ProbeExpectation;
  };
  /** Default: the header `authorization` with the prefix `Bearer `. */
  readonly apiKey?: { readonly in: "header" | "query"; readonly name: string; readonly prefix?: string };
  readonly hmac?: {
    readonly algorithm: "sha256" | "sha512";
    readonly header: string;
    readonly encoding: "hex" | "base64";
    readonly prefix?: string;
    readonly timestampHeader?: string;
  };
  readonly oauth2?: OAuth2Description;
  /** Headers for every call, for example the version that the vendor's API has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rateLimit?: { readonly requests: number; readonly perSeconds: number };
  /** The header in which the vendor takes an idempotency key. */
  readonly idempotencyHeader?: string;
  readonly webhook?: WebhookDescription;
  /** How the platform's commands become requests to the vendor. */
  readonly commands?: CommandTemplates;
  /** Sends mail where `commands` has no SendEmail. */
  readonly smtp?: MailServer;
}

/** A value in an answer's JSON body, with a path `body:…`. */
export interface ProbeExpectation {
  readonly value: ValuePath;
  readonly equals: string;
}

/** The endpoints at the vendor's authorization server (RFC 6749). */
export interface OAuth2Description {
  readonly tokenUrl: string;
  readonly authorizationUrl?: string;
  readonly revocationUrl?: string;
  /** The `iss` with which the server answers an authorization (RFC 9207). Named, an answer without it is refused. */
  readonly issuer?: string;
  readonly clientAuthentication: ClientAuthentication;
  readonly scopes?: readonly string[];
  /** Default: a space. */
  readonly scopeSeparator?: string;
  readonly audience?: string;
  readonly tokenParameters?: Readonly<Record<string, string>>;
  readonly authorizationParameters?: Readonly<Record<string, string>>;
}

/** How the vendor's delivery is signed, and where its values stand. */
export interface WebhookDescription {
  readonly scheme: SignatureScheme;
  /** The first path that has a value wins. */
  readonly deliveryId: readonly ValuePath[];
  readonly eventName: readonly ValuePath[];
  /** The event name becomes `<eventName>.<action>` where this path has a value. */
  readonly action?: ValuePath;
  /** Where the value of `when` equals `equals`, `mark` is added to the action, for example `closed(merged)`. */
  readonly actionMark?: { readonly when: ValuePath; readonly equals: string; readonly mark: string };
  /** The vendor's id for the account, which a connection has as its external account id. */
  readonly account?: ValuePath;
  /** The vendor tests the URL: where the value of `when` equals `equals`, the answer is the value of `answer`. */
  readonly challenge?: { readonly when: ValuePath; readonly equals: string; readonly answer: ValuePath };
  /** How the vendor tests a resource's URL without a signature. */
  readonly urlTests?: readonly UrlTest[];
  /** A time in the body, for vendors that sign no other one. It must be at most 300 s from now. */
  readonly signedTime?: { readonly value: ValuePath; readonly format?: TimeFormat };
  /** Vendor event names or normalized names which say that a credential was revoked at the vendor. */
  readonly revokedEvents?: readonly string[];
  /** Events that tell how commands ended. */
  readonly reports?: readonly VendorReport[];
  /** The form field that holds the body as JSON, in deliveries that are sent as a form. */
  readonly formPayload?: string;
  /** The body is an array with events, each its own delivery. Body paths are relative to one event. */
  readonly batch?: boolean;
  /** Where an array with events stands in the body, with `batch` only for the array that is the body itself. */
  readonly events?: ValuePath;
}

/** A request that is answered with one of its values: `query:name` or `header:name`. */
export interface UrlTest {
  readonly method: CallMethod;
  /** Without it the answer is empty. */
  readonly answer?: string;
  /** The JSON object's member that holds the value. Without it the answer is plain text. */
  readonly member?: string;
  /** Where it is given, the test is one only if this value equals `equals`. */
  readonly when?: string;
  readonly equals?: string;
}
