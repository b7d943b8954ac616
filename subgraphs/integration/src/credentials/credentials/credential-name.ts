const scheme = "secret://";

/** A credential's name without `secret://`. A field whose name ends with Ref accepts both forms. */
export function credentialName(reference: string): string {
  return reference.startsWith(scheme) ? reference.slice(scheme.length) : reference;
}

export function credentialRef(name: string): string {
  return `${scheme}${name}`;
}

export function credentialVersionRef(name: string, version: number): string {
  return `${credentialRef(name)}#v${version}`;
}
