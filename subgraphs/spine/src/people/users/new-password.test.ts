import { requireUncommonPassword } from "./new-password.js";

const refusal = (password: string, email: string) => {
  try {
    requireUncommonPassword(password, email, "/password");
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

it.each([
  ["Ada.Lovelace@people.example", "ada.lovelace@people.example"],
  ["ada.lovelace", "ada.lovelace@people.example"],
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  ["Zoe\u0308.Anders@people.example", "zoë.anders@people.example"],
])("the password %s is the address %s or its mailbox, in another spelling", (password, email) => {
  expect(refusal(password, email)).toBe("PASSWORD_REFUSED");
});

it("a password that holds more than the address is taken", () => {
  expect(refusal("ada@bücher.example and a long walk", "ada@xn--bcher-kva.example")).toBeUndefined();
});
