import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import { z } from "zod";

export const credentialOfHost = (pair: string): [host: string, credential: string] => {
  const [host = "", credential = ""] = pair.split("=", 2);
  return [asciiAuthority(host), credential];
};

export const mailbox = z
  .string()
  .max(300)
  .regex(
    /^[^\s<>@,;"]+@[^\s<>@,;"]+$|^[^<>@,;"\p{Cc}]+ <[^\s<>@,;"]+@[^\s<>@,;"]+>$/u,
    "must be an e-mail address, or a name and an address: Name <address>",
  );

/** Values with commas between them. */
export const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean),
  );

const sourceCredential = /^[^=\s]+=(secret:\/\/)?[\w.:/@+-]+$/;

export const sourceCredentials = list.refine(
  (pairs) => pairs.every((pair) => sourceCredential.test(pair)),
  "must have the form host=credential",
);

/** As `list`, or a JSON array for keys with a comma. */
export const keys = z
  .string()
  .default("")
  .transform((text, context): string[] => {
    if (!text.trimStart().startsWith("[")) return list.parse(text);
    const result = z.array(z.string()).safeParse(jsonOrNothing(text));
    if (!result.success)
      context.addIssue({ code: "custom", message: "must be a list of keys, separated by commas, or a JSON array" });
    return result.data ?? [];
  });

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Not a variable that would change which code a program runs. */
const credentialVariable = /^(?!PATH$|TMPDIR$|NODE_|LD_|DYLD_|BASH_|PYTHON|PERL|RUBY)[A-Z][A-Z0-9_]{0,63}$/;

/** Programs by name. A program's first word is a path, so that no search for it can find another one. */
const toolServer = z.strictObject({
  program: z.tuple([z.string().startsWith("/")], z.string().min(1)),
  tenants: z.union([z.literal("all"), z.array(z.string().regex(/^ten_[0-9a-z]{26}$/))]),
  credentialVariable: z.string().regex(credentialVariable).optional(),
});

export const toolServers = z
  .string()
  .default("{}")
  .transform((text, context): ReadonlyMap<string, z.infer<typeof toolServer>> => {
    const form = z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/), toolServer);
    const result = form.safeParse(jsonOrNothing(text));
    if (!result.success)
      context.addIssue({
        code: "custom",
        message:
          'must be a JSON object of names and programs, such as {"files":{"program":["/usr/bin/files-server"],"tenants":["ten_..."]}}; tenants may be "all", and credentialVariable names a variable for the token of the connection',
      });
    return new Map(Object.entries(result.data ?? {}));
  });

export type ToolServerSetting = z.infer<typeof toolServer>;
