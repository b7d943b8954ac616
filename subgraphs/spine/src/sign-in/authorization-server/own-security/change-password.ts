import { DomainError } from "@factory/runtime/errors/domain-error";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import type { OwnPassword } from "../../../people/passwords/own-password.js";
import { passwordLength } from "../../../people/users/password-hash.js";
import { setSignInVersion } from "../accounts/stored-versions.js";
import type { Visitor } from "./own-security-visitor.js";
import type { PasswordForm } from "./password-section.js";

type Problem = NonNullable<PasswordForm["problem"]>;

/** Changes the visitor's password and keeps this browser's session. Returns the problem, if there is one. */
export async function changePassword(
  passwords: OwnPassword,
  visitor: Visitor,
  form: URLSearchParams,
): Promise<Problem | undefined> {
  const { person, session } = visitor;
  const [currentPassword, newPassword] = [form.get("currentPassword") ?? "", form.get("newPassword") ?? ""];
  const { max } = passwordLength;
  const min = await passwords.minLength(person.tenant);
  const { length } = Array.from(newPassword);
  if (currentPassword === "" || currentPassword.length > 2 * max)
    return { field: "currentPassword", text: "Enter your current password" };
  if (length < min || length > max || !isStorable(newPassword))
    return { field: "newPassword", text: `Choose a password with ${min} to ${max} characters` };
  let signInVersion: number;
  try {
    signInVersion = await passwords.change({ ...person, currentPassword, newPassword });
  } catch (error) {
    const problem = error instanceof DomainError ? problems[error.code] : undefined;
    if (!problem) throw error;
    return problem;
  }
  // every other session has ended; the current password has proven again who the person in this one is
  session.loginTs = Math.floor(Date.now() / 1000);
  setSignInVersion(session, signInVersion);
  await session.persist();
  return undefined;
}

const problems: Readonly<Record<string, Problem>> = {
  PASSWORD_WRONG: { field: "currentPassword", text: "The current password is wrong" },
  PASSWORD_REFUSED: {
    field: "newPassword",
    text: "Choose a password that is not common and is not your e-mail address",
  },
  RATE_LIMITED: { field: "currentPassword", text: "Too many wrong passwords. Wait a few minutes and try again" },
  UNAVAILABLE: { field: "newPassword", text: "Too many people are changing passwords. Try again in a moment" },
};
