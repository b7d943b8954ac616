const scheme = "secret://";

/** What a `…Ref` field names: the bare name of a credential, with or without `secret://`. */
export function credentialName(reference: string): string {
  return reference.startsWith(scheme) ? reference.slice(scheme.length) : reference;
}

export function credentialRef(name: string): string {
  return `${scheme}${name}`;
}

export function credentialVersionRef(name: string, version: number): string {
  return `${credentialRef(name)}#v${version}`;
}
