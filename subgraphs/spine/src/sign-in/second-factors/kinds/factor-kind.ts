import type { Html } from "@factory/runtime/html/html";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** The second factor kinds, in the order in which a sign-in offers them. */
export const factorKindNames = ["Passkey", "Totp", "RecoveryCode"] as const;

export type FactorKindName = (typeof factorKindNames)[number];

/** The person who proves or sets up a factor. The password or the session has told who it is. */
export interface FactorPerson {
  readonly tenant: Tenant;
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  readonly displayName: string | null;
  /** The client at which the person signs in. */
  readonly clientId: string;
  readonly cause: Cause;
}

/**
 * A kind's storage between showing a form and taking it, for example for a challenge. It is stored on the server for
 * ten minutes, for this browser, this person and this kind only.
 */
export interface FactorVisit {
  /** Replaces the former value. */
  keep(value: string): Promise<void>;
  /** The value, once: if several requests come at the same time, only one gets it. */
  take(): Promise<string | undefined>;
}

/** A form's fields. The page around them has the heading, the CSRF token, the problem and the buttons. */
export interface FactorFields {
  readonly content: Html;
  /** The path to a platform script that the page needs. */
  readonly script?: string;
  /** The button's text, if it is not "Continue". */
  readonly button?: string;
}

/** Why an answer is not accepted. `field` is the ID of an input in the form. */
export interface FactorProblem {
  readonly field: string;
  readonly text: string;
  /** Whether all the person's codes are refused. */
  readonly isLocked?: boolean;
}

/** A factor was proven. */
export interface FactorProof {
  /** RFC 8176: the values that the proof adds to the password's values. The server adds `mfa`. */
  readonly amr: readonly string[];
}

export const isProof = (answer: FactorProof | FactorProblem): answer is FactorProof => "amr" in answer;

/** A factor that a person has set up. */
export interface EnrolledFactor {
  /** `fac_…` */
  readonly factorId: string;
  readonly kind: FactorKindName;
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt: Date | null;
  /** Whether the person may give it another name. */
  readonly isRenamable?: boolean;
}

/** A kind's forms for setting up a factor. */
export interface FactorEnrolment {
  /** The heading, for example "Set up an authenticator app". */
  readonly title: string;
  begin(person: FactorPerson, visit: FactorVisit): Promise<FactorFields>;
  /** Stores the factor with its event (`FactorChanges`), in its own transaction. */
  finish(person: FactorPerson, visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem>;
}

/** A person who was not known before. */
export interface IdentifiedPerson {
  readonly userId: string;
  /** RFC 8176: everything that the sign-in has proven. */
  readonly amr: readonly string[];
}

/** A sign-in without a name and a password: the factor tells who the person is, and proves more than a password. */
export interface Identification {
  /** The form's fields on the sign-in page. */
  ask(visit: FactorVisit): Promise<FactorFields>;
  /** Undefined for every answer that is not accepted. */
  identify(visit: FactorVisit, form: URLSearchParams, cause: Cause): Promise<IdentifiedPerson | undefined>;
}

/** One second factor kind. Slices register theirs in `FactorKinds`. */
export interface FactorKind {
  readonly kind: FactorKindName;
  /** The name for people, for example "Authenticator app". */
  readonly label: string;
  /** Whether the answer is a code that people type, so that others could guess it. Too many wrong ones lock the codes. */
  readonly isCode: boolean;
  /** The person's factors that can be used now. A sign-in offers the kind if there is one. */
  list(tenant: Tenant, userId: string): Promise<readonly EnrolledFactor[]>;
  /** At a sign-in: the question's fields. */
  ask(person: FactorPerson, visit: FactorVisit): Promise<FactorFields>;
  /** At a sign-in: checks the answer. The server counts problems as failures. */
  verify(person: FactorPerson, visit: FactorVisit, form: URLSearchParams): Promise<FactorProof | FactorProblem>;
  /** Absent for recovery codes, which come with the first factor. */
  readonly enrolment?: FactorEnrolment;
  /** Absent where the factor does not tell who the person is. */
  readonly identification?: Identification;
  /** Gives one factor another name. False: the user has no such factor. Absent: people do not name factors of this kind. */
  rename?(transaction: Transaction, userId: string, renamed: { factorId: string; name: string }): Promise<boolean>;
  /** Deletes one factor. False: the user has no such factor. */
  remove(transaction: Transaction, userId: string, factorId: string): Promise<boolean>;
  /** Deletes all the user's factors, and returns the IDs of those that could be removed one by one. */
  erase(transaction: Transaction, userId: string): Promise<readonly string[]>;
}
